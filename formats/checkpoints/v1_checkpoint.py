"""TensorFlow's checkpoints, version 1: one table, or several, with the values inside."""

from __future__ import annotations

import glob
import math
import os
from typing import Any, NamedTuple

import numpy as np

from ...protos.config import config
from ...protos.dtypes import DType, as_dtype
from ...protos.messages import TensorProto, TensorShapeProto
from ...protos.tensor_codec import decode_tensor
from ...runtime import errors
from ...runtime.load_budget import ask
from ..message_files import read_file
from ..sorted_table import read_table
from .checkpoint_entries import Entries
from .checkpoint_slices import (
    Extent,
    Part,
    assembled,
    cut,
    fields,
    parsed,
    read_slice,
    slice_key,
    spans,
)


class Entry(NamedTuple):
    """A tensor and the parts that it is stored in: a SavedSliceMeta."""

    dtype: DType
    shape: list[int]
    slices: list[tuple[Extent, ...]]


def files_of(prefix: str) -> list[str]:
    """The files of a checkpoint of version 1: that of its name, or numbered ones; none if none."""
    if os.path.isfile(prefix):
        return [prefix]
    shards = prefix if "?" in prefix else f"{glob.escape(prefix)}-?????-of-?????"
    return sorted(path for path in glob.glob(shards) if os.path.isfile(path))


class OldCheckpoint(Entries):
    """A TensorFlow checkpoint of version 1, opened for reading.

    Args:
        prefix: its name.

    Raises:
        DataLossError: it is damaged, or no checkpoint.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._entries: dict[str, Entry] = {}
        self._values: dict[bytes, bytes] = {}
        for path in files_of(prefix):
            data = read_file(path)
            try:
                for key, value in read_table(data):
                    if key:
                        self._values[key] = value
                    else:
                        self._read_header(value)
            except (ValueError, TypeError) as error:
                message = f"{path!r} is damaged, or no checkpoint: {error}"
                raise errors.DataLossError(None, None, message) from error

    def _read_header(self, data: bytes) -> None:
        """Reads a SavedTensorSlices: which tensors there are, of which this file has parts."""
        for number, meta in fields(data):
            if number != 1 or not isinstance(meta, bytes):
                continue
            for field, tensor in fields(meta):
                if field == 1 and isinstance(tensor, bytes):
                    name, entry = _entry(tensor)
                    known = self._entries.setdefault(name, entry)
                    if known is not entry:
                        known.slices.extend(entry.slices)

    def tensor(self, name: str, part: Part | None = None) -> np.ndarray[Any, Any]:
        """The value of a tensor, or of a part of it.

        Raises:
            DataLossError: it is damaged.
            ResourceExhaustedError: it takes more than a tensor may, or than a budget has.
        """
        entry = self._entries[name]
        where = f"{name!r} in the checkpoint {self._prefix!r}"
        try:
            if part is not None and part.extents in entry.slices:
                return self._part(name, entry, part.extents)
            parts = ((place, self._part(name, entry, place)) for place in entry.slices)
            whole = assembled(entry.shape, entry.dtype, parts, where)
        except (ValueError, TypeError) as error:
            raise errors.DataLossError(None, None, f"{where} is damaged: {error}") from error
        return whole if part is None else cut(whole, part)

    def _part(self, name: str, entry: Entry, extents: tuple[Extent, ...]) -> np.ndarray[Any, Any]:
        value = self._values.get(slice_key(name, extents))
        # Inside a SavedTensorSlices a SavedSlice, and in that the values.
        data = _message(_message(value, 2), 3)
        if data is None:
            raise ValueError("parts of it are missing")
        # The message holds only the values: dtype and shape are those of the slice.
        proto = parsed(TensorProto, data)
        proto.dtype = entry.dtype.as_datatype_enum
        del proto.tensor_shape.dim[:]
        lengths = [length for _, length in spans(entry.shape, extents)]
        for length in lengths:
            proto.tensor_shape.dim.add(size=length)
        size = math.prod(lengths) * entry.dtype.numpy_dtype.itemsize
        ask(size, f"a part of {name!r} in the checkpoint {self._prefix!r}")
        return decode_tensor(proto, config.max_tensor_bytes)

    def close(self) -> None:
        """Does nothing: no file stays open."""


def _message(data: bytes | None, wanted: int) -> bytes | None:
    """The message in a field of a message."""
    for number, value in fields(data or b""):
        if number == wanted and isinstance(value, bytes):
            return value
    return None


def _entry(data: bytes) -> tuple[str, Entry]:
    """Reads a SavedSliceMeta."""
    name, number_of_dtype = "", 0
    shape: list[int] = []
    slices: list[tuple[Extent, ...]] = []
    for number, value in fields(data):
        if number == 3 and isinstance(value, int):
            number_of_dtype = value
        elif isinstance(value, bytes) and number == 1:
            name = value.decode()
        elif isinstance(value, bytes) and number == 2:
            shape = [dim.size for dim in parsed(TensorShapeProto, value).dim]
        elif isinstance(value, bytes) and number == 4:
            slices.append(read_slice(value))
    dtype = as_dtype(number_of_dtype)
    if any(size < 0 for size in shape):
        raise ValueError(f"a tensor has the shape {shape}")
    return name, Entry(dtype, shape, slices)
