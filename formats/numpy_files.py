"""NumPy's files, read without trust in what they say: every error is one of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..protos.config import config
from ..runtime import errors

if TYPE_CHECKING:
    from zipfile import ZipFile

_HEADERS: dict[int, Callable[..., tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    1: np.lib.format.read_array_header_1_0,
    2: np.lib.format.read_array_header_2_0,
    3: np.lib.format.read_array_header_2_0,  # it differs in the encoding of names of fields
}


def read_npy(file: IO[bytes]) -> np.ndarray[Any, Any]:
    """The array in a file of NumPy's format, which can be read from its beginning again.

    Raises:
        ValueError: it is none, is damaged, or holds Python objects, which are not read.
        ResourceExhaustedError: the array is larger than a tensor may be.
    """
    # Headers are literals of Python. NumPy lets through whatever reading these raises, among it
    # tokenize.TokenError, MemoryError and RecursionError.
    try:
        start = file.tell()
        version, _ = np.lib.format.read_magic(file)
        shape, _, dtype = _HEADERS[version](file)
        _check_size(shape, dtype)
        file.seek(start)
        return np.lib.format.read_array(file, allow_pickle=False)
    except errors.OpError:
        raise
    except Exception as error:
        raise ValueError(f"it is not an array of numbers in NumPy's format: {error}") from error


def _check_size(shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    size = math.prod(shape) * dtype.itemsize
    if size > config.max_tensor_bytes:
        raise errors.ResourceExhaustedError(
            None,
            None,
            f"an array of shape {list(shape)} takes {size} bytes, more than "
            f"td.config.max_tensor_bytes = {config.max_tensor_bytes}",
        )


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
            member = self._archive.namelist()[self.names.index(name)]
            with self._archive.open(member) as file:
                return read_npy(file)
        except (ValueError, errors.OpError):
            raise
        except Exception as error:
            raise ValueError(f"{name!r} cannot be read: {error}") from error
