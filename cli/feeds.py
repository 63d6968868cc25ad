"""Parsing of `--feed NAME=VALUE`: numbers, or a file that holds them."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from io import BytesIO
from typing import IO, Any, NamedTuple

import numpy as np

from ..formats.numpy_files import NumpyArchive, read_npy
from ..runtime.suggestions import did_you_mean
from .filled_feeds import FILLS
from .standard_input import DASH, TITLE, standard_input

Array = np.ndarray[Any, Any]


class Feed(NamedTuple):
    """One `--feed`: the name of the tensor, and a value, a file, or a kind of filling."""

    name: str
    value: Any = None
    path: str | None = None
    key: str | None = None
    fill: str | None = None

    def load(self) -> Any:
        """The value, read from the file if it is in one.

        Raises:
            ValueError: the file does not hold such an array.
            OSError: the file cannot be read.
        """
        if self.path == DASH:
            return _from_standard_input(self.key)
        if self.path is not None and not self.path.endswith((".npy", ".npz")):
            raise ValueError(f"{self.path}: only --along reads such files, chunk by chunk")
        return self.value if self.path is None else _load(self.path, self.key)

    def opened(self) -> Any:
        """The value, or a source that reads the file in parts if possible.

        Raises:
            ValueError: a library for such files is not installed.
            OSError: it cannot be opened.
        """
        if self.fill is not None:
            raise ValueError(f"--feed {self.name}={self.fill}: --along reads arrays from files")
        path = self.path or ""
        if path.endswith(".npy"):
            try:
                return np.load(path, mmap_mode="r", allow_pickle=False)
            except OSError:
                raise
            except Exception:  # noqa: BLE001 - headers raise what reading Python raises
                raise _unreadable(path) from None
        if path.endswith((".zarr", ".h5", ".hdf5")):
            return _dataset(path, self.key)
        return self.load()


def parse_feed(text: str) -> Feed:
    """Reads `NAME=file.npy`, `NAME=file.npz:key`, `NAME=random`, or `NAME=` and a value in JSON.

    `-` instead of a file is standard input, which may hold any of these.

    Raises:
        ArgumentTypeError: the text is none of these.

    Example:
        >>> from tensordraft.cli.feeds import parse_feed
        >>> parse_feed("x=[1, 2.5]").value, parse_feed("x=data.npz:train/x").key
        ([1, 2.5], 'train/x')
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    if value in FILLS:
        return Feed(name, fill=value)
    if value == DASH:
        return Feed(name, path=DASH)
    if value.startswith(f"{DASH}:"):
        return Feed(name, path=DASH, key=value[2:])
    for ending in (".npz", ".h5", ".hdf5"):
        stem, colon, key = value.partition(f"{ending}:")
        if colon and key:
            return Feed(name, path=f"{stem}{ending}", key=key)
    if value.endswith((".npy", ".npz", ".zarr")):
        return Feed(name, path=value)
    return Feed(name, _literal(value))


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        hint = did_you_mean(text, FILLS)
        raise ArgumentTypeError(
            f"{text!r} is neither file.npy nor file.npz:key, nor {', '.join(FILLS)}, nor a number, "
            f"string or list in JSON{hint}"
        ) from None


def _from_standard_input(key: str | None) -> Any:
    """An array, or a value in JSON, from standard input."""
    with standard_input() as file:
        data = file.read()
    if data.startswith((b"\x93NUMPY", b"PK")):
        return _arrays(BytesIO(data), TITLE, key)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError(
            f"{TITLE} is neither .npy nor .npz, nor a number, string or list in JSON"
        ) from None


def _dataset(path: str, key: str | None) -> Any:
    """A dataset of zarr or HDF5."""
    try:
        if path.endswith(".zarr"):
            import zarr

            return zarr.open(path, mode="r")
        import h5py
    except ImportError as error:
        raise ValueError(
            f"{path}: {error.name} is not installed: pip install {error.name}"
        ) from None
    file = h5py.File(path, "r")
    if not isinstance(file.get(key), h5py.Dataset):
        raise ValueError(
            f"{path}: there is no dataset {key!r}; it holds {', '.join(file) or 'none'}"
        )
    return file[key]


def _load(path: str, key: str | None) -> Any:
    with open(path, "rb") as file:
        return _arrays(file, path, key)


def _arrays(file: IO[bytes], path: str, key: str | None) -> Any:
    is_archive = file.read(2) == b"PK"
    file.seek(0)
    try:
        if not is_archive:
            return read_npy(file)
        archive = NumpyArchive(file)
    except ValueError:
        raise _unreadable(path) from None
    name = _chosen(path, archive.names, key)
    try:
        return archive[name]
    except ValueError:
        raise _unreadable(path) from None


def _unreadable(path: str) -> ValueError:
    # NumPy's own message recommends allowing pickles, which may run any code.
    return ValueError(f"{path}: not a file of NumPy arrays, or one that holds Python objects")


def _chosen(path: str, keys: list[str], key: str | None) -> str:
    """The key to read: the one specified, or the only one."""
    if key is None and len(keys) == 1:
        return keys[0]
    if key is not None and key in keys:
        return key
    wanted = "specify an array" if key is None else f"there is no array {key!r}"
    raise ValueError(f"{path}: {wanted}; it holds {', '.join(keys) or 'none'}")
