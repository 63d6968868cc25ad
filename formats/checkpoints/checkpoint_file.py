"""The checkpoint files that this library wrote once: named arrays in one file; they are read.

A checkpoint `model-5` of that kind is the file `model-5.npz`, a ZIP archive without compression.
For each variable it holds a member `<name>.npy`, in NumPy's format, and last `manifest.json`:

    {"format": "tensordraft checkpoint", "version": 1,
     "tensors": {"layer/w": {"dtype": "float32", "shape": [2, 3]}, ...}}

`numpy.load` opens it. Elements of types that NumPy lacks (bfloat16) are stored as unsigned
integers of their size; strings as one array of bytes, and their lengths as "lengths" in the
manifest. Nothing is pickled. Every member has a CRC-32, which is checked when it is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...protos.dtypes import DType, as_dtype
from ...runtime import errors
from ...runtime.load_budget import ask
from ..numpy_files import read_npy
from .checkpoint_slices import Part, cut

if TYPE_CHECKING:
    from zipfile import ZipFile

SUFFIX = ".npz"
_MANIFEST = "manifest.json"
_FORMAT = "tensordraft checkpoint"
_VERSION = 1
_MOST_HEADER_BYTES = 1 << 16


class CheckpointFile:
    """A checkpoint file of this library, opened for reading.

    Args:
        path: the file, with its suffix.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is damaged, or no checkpoint.
    """

    def __init__(self, path: str) -> None:
        import zipfile

        self._path = path
        try:
            self._archive: ZipFile = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise errors.NotFoundError(None, None, f"there is no file {path!r}") from None
        except Exception as error:  # whatever zipfile lets through
            raise self._damaged(str(error)) from error
        self._entries = self._read_manifest()

    def _read_manifest(self) -> dict[str, Any]:
        import json

        try:
            manifest = json.loads(self._member(_MANIFEST))
            if manifest["format"] != _FORMAT or manifest["version"] != _VERSION:
                raise ValueError(f"it is of format {manifest['format']!r} {manifest['version']!r}")
            entries: dict[str, Any] = manifest["tensors"]
            for entry in entries.values():
                as_dtype(entry["dtype"])
                if not all(type(size) is int and size >= 0 for size in entry["shape"]):
                    raise ValueError(f"a shape is {entry['shape']!r}")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self._damaged(f"its manifest cannot be read: {error}") from error
        return entries

    def shapes(self) -> dict[str, list[int]]:
        """The shapes of all tensors, by name."""
        return {name: list(entry["shape"]) for name, entry in self._entries.items()}

    def dtypes(self) -> dict[str, DType]:
        """The dtypes of all tensors, by name."""
        return {name: as_dtype(entry["dtype"]) for name, entry in self._entries.items()}

    def tensor(self, name: str, part: Part | None = None) -> np.ndarray[Any, Any]:
        """The value of a tensor, or of a part of it.

        Raises:
            DataLossError: it is damaged.
        """
        whole = self._whole(name)
        return whole if part is None else cut(whole, part)

    def _whole(self, name: str) -> np.ndarray[Any, Any]:
        entry = self._entries[name]
        dtype = as_dtype(entry["dtype"])
        try:
            if dtype.name == "string":
                return self._strings(name, entry)
            stored = dtype.numpy_dtype
            if stored.kind == "V":
                stored = np.dtype(f"u{stored.itemsize}")
            return self._array(name, stored, entry["shape"]).view(dtype.numpy_dtype)
        except (ValueError, KeyError, TypeError, EOFError) as error:
            raise self._damaged(f"{name!r} cannot be read: {error}") from error

    def _strings(self, name: str, entry: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        lengths = entry["lengths"]
        if not all(type(length) is int and length >= 0 for length in lengths):
            raise ValueError("its lengths are no lengths")
        data = self._array(name, np.dtype(np.uint8), [sum(lengths)]).tobytes()
        result = np.empty(len(lengths), object)
        start = 0
        for i, length in enumerate(lengths):
            result[i] = data[start : start + length]
            start += length
        return result.reshape(entry["shape"])

    def _array(self, name: str, dtype: np.dtype[Any], shape: list[int]) -> np.ndarray[Any, Any]:
        import io

        member = f"{name}.npy"
        size = math.prod(shape) * dtype.itemsize
        if not size <= self._size(member) <= size + _MOST_HEADER_BYTES:
            raise ValueError(f"it has {self._size(member)} bytes, where {size} are needed")
        data = io.BytesIO(self._member(member))
        array = read_npy(data)
        if array.dtype != dtype or array.shape != tuple(shape):
            raise ValueError(f"it is {array.dtype}{list(array.shape)}, not {dtype}{shape}")
        return array

    def _size(self, member: str) -> int:
        return self._archive.getinfo(member).file_size

    def _member(self, name: str) -> bytes:
        """The bytes of a member, whose checksum is right."""
        import zipfile

        try:
            info = self._archive.getinfo(name)
            if info.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{name!r} is compressed")
            ask(info.file_size, f"{name!r} in {self._path!r}")
            return self._archive.read(info)
        except (KeyError, errors.OpError):
            raise
        except Exception as error:  # whatever zipfile, and what it unpacks with, lets through
            raise self._damaged(str(error)) from error

    def close(self) -> None:
        """Closes the file."""
        self._archive.close()

    def _damaged(self, what: str) -> errors.DataLossError:
        message = f"{self._path!r} is damaged, or no checkpoint: {what}"
        return errors.DataLossError(None, None, message)
