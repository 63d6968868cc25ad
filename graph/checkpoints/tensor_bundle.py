"""TensorFlow's checkpoints, version 2: an index `<name>.index`, and data in shards beside it."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...protos.config import config
from ...protos.dtypes import as_dtype
from ...protos.messages import TensorShapeProto
from .. import errors
from ..files.crc32c import masked_crc32c
from ..files.message_files import read_file
from ..files.sorted_table import read_table, varint
from .checkpoint_slices import Extent, assembled, fields, read_slice, slice_key

if TYPE_CHECKING:
    from ...protos.dtypes import DType

SUFFIX = ".index"
_BIG_ENDIAN = 1


class Entry(NamedTuple):
    """Where a tensor is, and what it is: a BundleEntryProto."""

    dtype: DType
    shape: list[int]
    shard: int
    offset: int
    size: int
    checksum: int
    slices: tuple[tuple[Extent, ...], ...]


class TensorBundle:
    """A TensorFlow checkpoint, opened for reading.

    Args:
        prefix: the name of the checkpoint, without a suffix.

    Raises:
        NotFoundError: there is no such checkpoint.
        DataLossError: its index is damaged.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._entries: dict[str, Entry] = {}
        self._parts: dict[bytes, Entry] = {}
        self._shards = 1
        index = read_file(prefix + SUFFIX)
        try:
            for key, value in read_table(index):
                if not key:
                    self._shards = self._read_header(value)
                elif key[0] == 0:  # of a part of a tensor: see `slice_key`
                    self._parts[key] = _entry(value)
                else:
                    self._entries[key.decode()] = _entry(value)
        except (ValueError, TypeError) as error:
            message = f"{prefix + SUFFIX!r} is damaged, or no index of a checkpoint: {error}"
            raise errors.DataLossError(None, None, message) from error

    def _read_header(self, data: bytes) -> int:
        """The number of shards, from a BundleHeaderProto."""
        shards = 1
        for number, value in fields(data):
            if number == 1 and isinstance(value, int):
                shards = value
            elif number == 2 and value == _BIG_ENDIAN:
                raise ValueError("its numbers are big-endian, which is not supported")
        return shards

    def shapes(self) -> dict[str, list[int]]:
        """The shapes of all tensors, by name."""
        return {name: list(entry.shape) for name, entry in self._entries.items()}

    def dtypes(self) -> dict[str, DType]:
        """The dtypes of all tensors, by name."""
        return {name: entry.dtype for name, entry in self._entries.items()}

    def tensor(self, name: str) -> np.ndarray[Any, Any]:
        """The value of a tensor.

        Raises:
            NotFoundError: there is no tensor of that name, or a data file is missing.
            DataLossError: it is damaged.
            UnimplementedError: it is of a dtype that has no values.
        """
        entry = self._entries.get(name)
        if entry is None:
            message = f"the checkpoint {self._prefix!r} has no tensor {name!r}"
            raise errors.NotFoundError(None, None, message)
        where = f"{name!r} in the checkpoint {self._prefix!r}"
        if entry.dtype.name in ("resource", "variant"):
            message = f"{where} is of dtype {entry.dtype.name}: not supported"
            raise errors.UnimplementedError(None, None, message)
        try:
            return self._joined(name, entry) if entry.slices else self._whole(entry)
        except ValueError as error:
            raise errors.DataLossError(None, None, f"{where} is damaged: {error}") from error

    def _joined(self, name: str, entry: Entry) -> np.ndarray[Any, Any]:
        """A tensor that is stored in parts: that of a variable that was partitioned."""
        parts = []
        for extents in entry.slices:
            part = self._parts.get(slice_key(name, extents))
            if part is None or part.dtype is not entry.dtype:
                raise ValueError("parts of it are missing, or of another dtype")
            parts.append((extents, self._whole(part)))
        return assembled(entry.shape, entry.dtype, parts)

    def _whole(self, entry: Entry) -> np.ndarray[Any, Any]:
        data = self._data(entry)
        if entry.dtype.name == "string":
            return _strings(data, entry)
        if masked_crc32c(data) != entry.checksum:
            raise ValueError("its checksum is wrong")
        dtype = entry.dtype.numpy_dtype
        if len(data) != math.prod(entry.shape) * dtype.itemsize:
            raise ValueError(f"it has {len(data)} bytes, which does not fit {entry.shape}")
        return np.frombuffer(data, dtype).reshape(entry.shape)

    def _data(self, entry: Entry) -> bytes:
        path = f"{self._prefix}.data-{entry.shard:05d}-of-{self._shards:05d}"
        if entry.size > config.max_tensor_bytes:
            raise ValueError(
                f"{entry.size} bytes are more than td.config.max_tensor_bytes = "
                f"{config.max_tensor_bytes}"
            )
        try:
            with open(path, "rb") as file:
                if entry.offset + entry.size > os.fstat(file.fileno()).st_size:
                    raise ValueError(f"{path!r} ends before it")
                file.seek(entry.offset)
                return file.read(entry.size)
        except FileNotFoundError:
            raise errors.NotFoundError(None, None, f"there is no file {path!r}") from None

    def close(self) -> None:
        """Does nothing: no file stays open."""


def _entry(data: bytes) -> Entry:
    """Reads a BundleEntryProto."""
    numbers = dict.fromkeys((1, 3, 4, 5, 6), 0)
    shape: list[int] = []
    slices: list[tuple[Extent, ...]] = []
    for number, value in fields(data):
        if number == 2 and isinstance(value, bytes):
            shape = [dim.size for dim in TensorShapeProto.FromString(value).dim]
        elif number == 7 and isinstance(value, bytes):
            slices.append(read_slice(value))
        elif number in numbers and isinstance(value, int):
            numbers[number] = value
    if any(size < 0 for size in shape):
        raise ValueError(f"a tensor has the shape {shape}")
    return Entry(
        as_dtype(numbers[1]), shape, numbers[3], numbers[4], numbers[5], numbers[6], tuple(slices)
    )


def _strings(data: bytes, entry: Entry) -> np.ndarray[Any, Any]:
    """Strings are stored as their lengths, a checksum of these, and their bytes."""
    count = math.prod(entry.shape)
    if count > len(data):
        raise ValueError(f"{count} strings do not fit in {len(data)} bytes")
    lengths = []
    position = 0
    for _ in range(count):
        length, position = varint(data, position)
        lengths.append(length)
    result = np.empty(count, object)
    position += 4
    if position + sum(lengths) != len(data):
        raise ValueError("the lengths of its strings do not fit its size")
    wide = [length.to_bytes(4 if length < 1 << 32 else 8, "little") for length in lengths]
    summed = b"".join(wide)
    stored = data[position - 4 : position]
    if masked_crc32c(summed).to_bytes(4, "little") != stored:
        raise ValueError("the checksum of its lengths is wrong")
    if masked_crc32c(summed + stored + data[position:]) != entry.checksum:
        raise ValueError("its checksum is wrong")
    for i, length in enumerate(lengths):
        result[i] = data[position : position + length]
        position += length
    return result.reshape(entry.shape)
