"""Parts of tensors in TensorFlow's checkpoints: where they belong, and under which key they are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from google.protobuf.message import DecodeError, Message

from ...protos.dtypes import DType
from ...runtime.load_budget import ask
from ..sorted_table import varint
from ..table_writer import varint_bytes

AnyMessage = TypeVar("AnyMessage", bound=Message)

_WHOLE = -1
_SIZE = re.compile(r"[0-9]{1,18}")
_EXTENT = re.compile(r"-|[0-9]{1,18},[0-9]{1,18}")


class Extent(NamedTuple):
    """Start and length of a slice along a dimension; length -1 for the whole dimension."""

    start: int
    length: int


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The numbers and values of the fields of a message in protobuf's wire format.

    Raises:
        ValueError: the data is not a message.
    """
    position = 0
    while position < len(data):
        tag, position = varint(data, position)
        kind = tag & 7
        if kind == 0:
            value, position = varint(data, position)
            yield tag >> 3, value
            continue
        if kind == 2:
            size, position = varint(data, position)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"a field is of the unknown kind {kind}")
        chunk = data[position : position + size]
        if len(chunk) < size:
            raise ValueError("a field is cut off")
        position += size
        yield tag >> 3, chunk if kind == 2 else int.from_bytes(chunk, "little")


def parsed(kind: type[AnyMessage], data: bytes) -> AnyMessage:
    """The message of a class that `data` holds.

    Raises:
        ValueError: the data is not such a message.
    """
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise ValueError(str(error)) from error


def read_slice(data: bytes) -> tuple[Extent, ...]:
    """The extents that a TensorSliceProto holds, one for each dimension."""
    extents = []
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes):
            start, length = 0, _WHOLE
            for field, item in fields(value):
                if isinstance(item, int):
                    start, length = (item, length) if field == 1 else (start, item)
            extents.append(Extent(start, length))
    return tuple(extents)


def slice_bytes(extents: Sequence[Extent]) -> bytes:
    """A TensorSliceProto; a length of all of a dimension is left out, as a start of 0 is."""
    found = []
    for start, length in extents:
        extent = b"\x08" + varint_bytes(start) if start else b""
        extent += b"" if length == _WHOLE else b"\x10" + varint_bytes(length)
        found.append(b"\x0a" + varint_bytes(len(extent)) + extent)
    return b"".join(found)


class Part(NamedTuple):
    """A part of a tensor: the shape of the whole, and its extents."""

    shape: list[int]
    extents: tuple[Extent, ...]


def read_part(text: str, name: str) -> Part | None:
    """The part that a text such as "4 2 0,3:-" states: the sizes of the whole, and extents.

    Args:
        text: the text; empty for a tensor as a whole.
        name: the name of the tensor.

    Raises:
        ValueError: it states none.

    Example:
        >>> from tensordraft.formats.checkpoints.checkpoint_slices import read_part
        >>> read_part("4 2 0,3:-", "v")
        Part(shape=[4, 2], extents=(Extent(start=0, length=3), Extent(start=0, length=-1)))
    """
    if not text:
        return None
    *sizes, places = text.split(" ")
    extents = places.split(":")
    if (
        len(sizes) != len(extents)
        or not all(map(_SIZE.fullmatch, sizes))
        or not all(map(_EXTENT.fullmatch, extents))
    ):
        raise ValueError(f"a part of {name!r} cannot be {text!r}")
    found = []
    for extent in extents:
        start, comma, length = extent.partition(",")
        found.append(Extent(int(start), int(length)) if comma else Extent(0, _WHOLE))
    part = Part(list(map(int, sizes)), tuple(found))
    try:
        spans(part.shape, part.extents)
    except ValueError as error:
        raise ValueError(f"a part of {name!r} cannot be {text!r}: {error}") from None
    return part


def slice_key(name: str, extents: Sequence[Extent]) -> bytes:
    r"""The key under which a part is in the table of a checkpoint.

    Keys sort as what they say does; this is TensorFlow's OrderedCode.

    Example:
        >>> from tensordraft.formats.checkpoints.checkpoint_slices import Extent, slice_key
        >>> slice_key("v", [Extent(3, 2), Extent(0, -1)])
        b'\x00v\x00\x01\x01\x02\x83\x82\x80\x7f'
    """
    text = name.encode().replace(b"\x00", b"\x00\xff")
    numbers = b"".join(_signed(number) for extent in extents for number in extent)
    return _unsigned(0) + text + b"\x00\x01" + _unsigned(len(extents)) + numbers


def _unsigned(number: int) -> bytes:
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _signed(number: int) -> bytes:
    """A number, behind as many ones as it has further bytes; a negative one turned over."""
    bits = (~number if number < 0 else number).bit_length()
    size = bits // 7 + 1
    header = ((1 << size) - 1) << (7 * size)  # a one for each byte, at the top
    return ((number & ((1 << 8 * size) - 1)) ^ header).to_bytes(size, "big")


def assembled(
    shape: Sequence[int],
    dtype: DType,
    parts: Iterable[tuple[Sequence[Extent], np.ndarray[Any, Any]]],
    where: str,
) -> np.ndarray[Any, Any]:
    """The tensor of which some arrays are the parts.

    Args:
        shape: its shape.
        dtype: its dtype.
        parts: the places of the parts, and the parts.
        where: the name of the tensor and that of the checkpoint.

    Raises:
        ResourceExhaustedError: it takes more than a tensor may, or than a budget has.
        ValueError: a part is not inside of it or of another shape than it says, there are gaps, or
            the parts together are larger.
    """
    count = math.prod(shape)
    ask(count * dtype.numpy_dtype.itemsize, where)
    result = np.zeros(shape, dtype.numpy_dtype)
    missing = np.ones(shape, np.bool_)
    placed = 0
    for extents, array in parts:
        placed += array.size
        if placed > count:  # else a few bytes could name a large part again and again
            raise ValueError("its parts overlap")
        place = tuple(slice(start, start + length) for start, length in spans(shape, extents))
        if result[place].shape != array.shape:
            raise ValueError(f"a part of shape {list(array.shape)} is not where it says")
        result[place], missing[place] = array, False
    if missing.any():
        raise ValueError("parts of it are missing")
    return result


def spans(shape: Sequence[int], extents: Sequence[Extent]) -> list[Extent]:
    """The extents of a part of a tensor of `shape`, each with its length.

    Raises:
        ValueError: they are not inside of the shape.
    """
    found = [
        Extent(start, size if length == _WHOLE else length)
        for (start, length), size in zip(extents, shape, strict=True)
    ]
    for (start, length), size in zip(found, shape, strict=True):
        if start < 0 or length < 0 or start + length > size:
            raise ValueError(f"a part reaches from {start} to {start + length} of {size}")
    return found


def cut(whole: np.ndarray[Any, Any], part: Part) -> np.ndarray[Any, Any]:
    """A part of an array, as a new one."""
    places = [slice(start, start + length) for start, length in spans(part.shape, part.extents)]
    return whole[tuple(places)].copy()
