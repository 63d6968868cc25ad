"""NumPy's files, read without trust in what they say: every error is one of ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..runtime import errors
from ..runtime.load_budget import ask

if TYPE_CHECKING:
    from zipfile import ZipFile

_HEADERS: dict[tuple[int, int], Callable[..., tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,  # it differs in the encoding of names of fields
}
_MOST_HEADER_BYTES = 10_000  # as NumPy


def read_npy(file: IO[bytes], held: int | None = None) -> np.ndarray[Any, Any]:
    """The array in a file of NumPy's format, which can be read from its beginning again.

    Args:
        file: the file.
        held: the bytes in it, if they are known; an array that has more is not begun.

    Raises:
        ValueError: it is none, is damaged, or holds Python objects, which are not read.
        ResourceExhaustedError: the array is larger than a tensor may be, or than a budget.
    """
    # Headers are literals of Python. NumPy lets through whatever reading these raises, among it
    # tokenize.TokenError, MemoryError and RecursionError.
    try:
        start = file.tell()
        version = np.lib.format.read_magic(file)
        _check_header(file, version)
        shape, _, dtype = _HEADERS[version](file)
        size = math.prod(shape) * max(dtype.itemsize, 1)
        if held is not None and size > held:
            raise ValueError(f"shape {list(shape)} takes {size} bytes, but it holds {held}")
        ask(size, f"an array of shape {list(shape)}{_in(file)}")
        file.seek(start)
        return np.lib.format.read_array(file, allow_pickle=False)
    except errors.OpError:
        raise
    except Exception as error:
        raise ValueError(f"it is not an array of numbers in NumPy's format: {error}") from error


def npy_type(file: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The dtype and shape of the array in a file of NumPy's format, of which only that is read.

    Raises:
        ValueError: it is not such a file, or is damaged.
    """
    try:
        version = np.lib.format.read_magic(file)
        _check_header(file, version)
        shape, _, dtype = _HEADERS[version](file)
    except Exception as error:
        raise ValueError(f"it is not an array of numbers in NumPy's format: {error}") from error
    return dtype, shape


def _check_header(file: IO[bytes], version: tuple[int, int]) -> None:
    """Checks the length of a header, which NumPy reads before it looks at the length."""
    place = file.tell()
    length = int.from_bytes(file.read(2 if version == (1, 0) else 4), "little")
    if length > _MOST_HEADER_BYTES:
        raise ValueError(f"its header has {length} bytes, at most {_MOST_HEADER_BYTES} are read")
    file.seek(place)


def _in(file: IO[bytes]) -> str:
    name = getattr(file, "name", None)
    return f" in {name!r}" if isinstance(name, str) else ""


class NumpyArchive:
    """The arrays in an `.npz` file, by name.

    Args:
        file: the file.

    Raises:
        ValueError: it is not such a file.
    """

    def __init__(self, file: IO[bytes]) -> None:
        import zipfile

        # A ZIP file may be compressed or encrypted in ways that raise NotImplementedError,
        # RuntimeError, zlib.error, struct.error and others.
        try:
            self._archive: ZipFile = zipfile.ZipFile(file)
            self.names = [name.removesuffix(".npy") for name in self._archive.namelist()]
        except Exception as error:
            raise ValueError(f"it is not an archive of arrays: {error}") from error

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        """The array of a name.

        Raises:
            KeyError: there is none.
            ValueError, ResourceExhaustedError: as `read_npy`.
        """
        if name not in self.names:
            raise KeyError(name)
        try:
            member = self._archive.infolist()[self.names.index(name)]
            with self._archive.open(member) as file:
                return read_npy(file, member.file_size)
        except errors.OpError:
            raise
        except Exception as error:
            raise ValueError(f"{name!r} cannot be read: {error}") from error

    def holds_arrays(self) -> bool:
        """Returns whether all members of the archive are arrays."""
        return all(member.filename.endswith(".npy") for member in self._archive.infolist())

    def types(self) -> dict[str, tuple[str, list[int]]]:
        """The dtype and shape of each array, by name.

        Raises:
            ValueError: one is damaged.
        """
        found = {}
        for name, member in zip(self.names, self._archive.infolist(), strict=True):
            try:
                with self._archive.open(member) as file:
                    dtype, shape = npy_type(file)
            except Exception as error:
                raise ValueError(f"{name!r} cannot be read: {error}") from error
            found[name] = (dtype.name, list(shape))
        return found
