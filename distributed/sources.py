"""Sources of arrays read chunk by chunk, which can reopen them in any process.

A memory map keeps what it has read in memory while it is open, and would be sent as an array; an
HDF5 dataset could not be sent at all. So sources open the file for each chunk.
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import Any

import numpy as np


class _Rows:
    """An array in a file."""

    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)


@dataclass(frozen=True)
class MappedRows(_Rows):
    """An array in a file of its bytes.

    Args:
        path: the file.
        offset: the start of the array, in bytes.
        dtype: of the elements.
        shape: the shape.
        order: "C" or "F".
        stamp: the size of the file and the time of its last change, to detect changes.
    """

    path: str
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: str
    stamp: tuple[int, int]

    def __getitem__(self, places: Any) -> Any:
        """Reads a slice of the array."""
        opened: Any = np.memmap(
            self.path, self.dtype, "r", self.offset, self.shape, "F" if self.order == "F" else "C"
        )
        return np.array(opened[places])


@dataclass(frozen=True)
class HdfRows(_Rows):
    """A dataset of HDF5.

    Args:
        path: the file.
        name: of the dataset in it.
        dtype: of the elements.
        shape: the shape.
        stamp: as for `MappedRows`.
    """

    path: str
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    stamp: tuple[int, int]

    def __getitem__(self, places: Any) -> Any:
        """Reads a slice of the dataset."""
        import h5py

        with h5py.File(self.path, "r") as file:
            return np.asarray(file[self.name][places])


def read_anew(value: Any) -> Any:
    """Replaces an array in a file by a source that reads it on demand; others are kept."""
    base: Any = getattr(value, "base", None)
    if isinstance(value, np.memmap) and value.filename and isinstance(base, mmap.mmap):
        order = "C" if value.flags.c_contiguous else "F"
        path = os.fsdecode(value.filename)
        stamp = _stamp(path)
        return MappedRows(str(path), value.offset, value.dtype, value.shape, order, stamp)
    if type(value).__module__.partition(".")[0] == "h5py":
        path = value.file.filename
        return HdfRows(path, value.name, value.dtype, value.shape, _stamp(path))
    return value


def _stamp(path: str | os.PathLike[str]) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
