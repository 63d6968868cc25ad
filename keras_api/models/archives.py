"""Keras archives, `.keras`: a ZIP file of a config, the variables in HDF5, and vocabularies."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from typing import Any

from ...runtime import errors
from ...runtime.load_budget import ask
from .archive_weights import read_archive_weights, with_vocabularies
from .hdf5_files import check_hdf5, h5py, h5py_errors
from .model_building import built_model, with_hard_sigmoid

CONFIG, WEIGHTS, METADATA = "config.json", "model.weights.h5", "metadata.json"
_MOST_PACKED = 1100  # times: deflating makes nothing smaller than that
_PIECE = 1 << 20
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


def read_archive(file: BufferedIOBase, title: str) -> tuple[Any, list[tuple[Any, Any]]]:
    """Builds the model of an archive in the default graph.

    Args:
        file: the archive.
        title: what errors call it.

    Returns:
        The model, and pairs of its variables and arrays.

    Raises:
        DataLossError: it is damaged, or its members do not fit together.
        UnimplementedError: it holds layers that are not supported; the error names them.
        ResourceExhaustedError: it takes more than a budget allows.
        ImportError: h5py is not installed.
    """
    h5py()
    archive = _Archive(file, title)
    spec = archive.config()
    if archive.version().startswith("3"):
        spec = with_hard_sigmoid(spec)
    with archive.weights() as weights:
        model = built_model(with_vocabularies(spec, archive.asset, weights), title)
        return model, read_archive_weights(weights, model, spec)


class _Archive:
    """The members of an archive, read with bounds."""

    def __init__(self, file: BufferedIOBase, title: str) -> None:
        self._title = title
        with self._reading("its list of members"):
            self._zip = zipfile.ZipFile(file)
        self.names = {info.filename: info for info in self._zip.infolist()}

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        try:
            yield
        except errors.OpError:
            raise
        except _BROKEN as exc:
            raise errors.DataLossError(
                None, None, f"{self._title}: {name} is cut off or damaged: {exc}"
            ) from exc

    def _info(self, name: str) -> zipfile.ZipInfo:
        if name not in self.names:
            listed = sorted(self.names)[:10]
            raise errors.DataLossError(
                None, None, f"{self._title} is a Keras archive without {name}; it holds {listed}"
            )
        info = self.names[name]
        ask(info.file_size, f"{name} in {self._title}")
        if info.file_size > max(info.compress_size * _MOST_PACKED, _PIECE):
            raise errors.DataLossError(
                None,
                None,
                f"{self._title}: {name} would be {info.file_size} bytes, packed in "
                f"{info.compress_size}",
            )
        return info

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        info = self._info(name)
        with self._reading(name), self._zip.open(info) as member:
            return member.read(info.file_size)

    def asset(self, name: str) -> bytes | None:
        """The bytes of a member, if there is one of the name."""
        return self.read(name) if name in self.names else None

    def config(self) -> dict[str, Any]:
        """The config of the model."""
        try:
            config = json.loads(self.read(CONFIG))
        except (ValueError, RecursionError) as exc:
            raise errors.DataLossError(
                None, None, f"{self._title}: {CONFIG} is not JSON: {exc}"
            ) from exc
        if not isinstance(config, dict):
            raise errors.DataLossError(
                None, None, f"{self._title}: {CONFIG} is not a dict, but {str(config)[:80]}"
            )
        return config

    def version(self) -> str:
        """The version of Keras that wrote the archive, as far as it says so."""
        try:
            return str(json.loads(self.asset(METADATA) or b"{}").get("keras_version", ""))
        except (ValueError, AttributeError, RecursionError):
            return ""

    @contextmanager
    def weights(self) -> Iterator[Any]:
        """The file of the variables, which HDF5 reads from disk."""
        title = f"{self._title}: {WEIGHTS}"
        info = self._info(WEIGHTS)
        handle, path = tempfile.mkstemp(suffix=".h5")
        try:
            with os.fdopen(handle, "w+b") as out:
                left = info.file_size
                with self._reading(WEIGHTS), self._zip.open(info) as member:
                    while left > 0 and (piece := member.read(min(_PIECE, left))):
                        out.write(piece)
                        left -= len(piece)
                out.flush()
                out.seek(0)
                check_hdf5(out, title)
            with h5py_errors(title), h5py().File(path, "r") as file:
                yield file
        except errors.OpError as exc:
            if path not in exc.message:
                raise
            raise type(exc)(None, None, exc.message.replace(path, title)) from exc
        finally:
            os.unlink(path)
