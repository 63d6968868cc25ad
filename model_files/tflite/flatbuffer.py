"""Bounds-checked access to the tables of a FlatBuffer, of which nothing is trusted.

Offsets to tables, vectors and strings only lead forwards, so that following them ends. But many of
them may lead to the same place, so that a small file could describe a huge tree: what is read is
counted, and may not exceed the size of the file many times over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

_SCALARS = {
    "bool": struct.Struct("<?"),
    "int8": struct.Struct("<b"),
    "uint8": struct.Struct("<B"),
    "int16": struct.Struct("<h"),
    "uint16": struct.Struct("<H"),
    "int32": struct.Struct("<i"),
    "uint32": struct.Struct("<I"),
    "int64": struct.Struct("<q"),
    "uint64": struct.Struct("<Q"),
    "float32": struct.Struct("<f"),
}
_CODES = {name: scalar.format[-1] for name, scalar in _SCALARS.items()}
_MOST_READ = 8  # times the size of the file; writers share few strings and vectors
_ALWAYS_READ = 1 << 16


class MalformedError(ValueError):
    """Content that contradicts the format, or itself."""


class Field(NamedTuple):
    """A field of a table: its place among the fields, its type, its default.

    A type is a scalar, "string", "table NAME", "[...]" for a vector of one of these, or "union".
    """

    slot: int
    type: str
    default: Any


Schema = dict[str, dict[str, Field]]


class FlatBuffer:
    """The bytes of a file, and the fields of its tables.

    Args:
        data: the bytes.
        schema: the fields of each table.
    """

    def __init__(self, data: memoryview, schema: Schema) -> None:
        self.data = data
        self.schema = schema
        self._left = _MOST_READ * len(data) + _ALWAYS_READ

    def root(self, name: str) -> Table:
        """The table that the file begins with."""
        return self.table(name, self.offset(0))

    def scalar(self, kind: str, at: int) -> Any:
        """The number at a position."""
        scalar = _SCALARS[kind]
        if not 0 <= at <= len(self.data) - scalar.size:
            raise MalformedError(f"it refers to byte {at}, where it has {len(self.data)} bytes")
        return scalar.unpack_from(self.data, at)[0]

    def offset(self, at: int) -> int:
        """The position to which the offset at a position leads."""
        distance = self.scalar("uint32", at)
        if not distance:
            raise MalformedError(f"the offset at byte {at} leads to itself")
        return at + distance

    def table(self, name: str, at: int) -> Table:
        """The table at a position."""
        self.count(4)
        vtable = at - self.scalar("int32", at)
        size = self.scalar("uint16", vtable)
        if size < 4 or size % 2:
            raise MalformedError(f"the table at byte {at} has a vtable of {size} bytes")
        return Table(self, name, at, vtable, size // 2 - 2)

    def vector(self, at: int, size: int) -> tuple[int, int]:
        """Where the vector at a position begins, and its length, of elements of `size` bytes."""
        length = self.scalar("uint32", at)
        if length * size > len(self.data) - at - 4:
            raise MalformedError(f"the vector at byte {at} has {length} elements: beyond the end")
        return at + 4, length

    def count(self, size: int) -> None:
        """Counts bytes that are read as tables, numbers or text."""
        self._left -= size
        if self._left < 0:
            raise MalformedError("its tables and vectors overlap many times over")


class Table:
    """A table: `table["field"]` is the value of a field, or its default.

    Args:
        buffer: the file.
        name: the name of its type in the schema.
        at: its position.
        vtable: the position of its vtable.
        slots: the number of fields that this has.
    """

    __slots__ = ("_at", "_buffer", "_slots", "_vtable", "name")

    def __init__(self, buffer: FlatBuffer, name: str, at: int, vtable: int, slots: int) -> None:
        self.name = name
        self._buffer = buffer
        self._at = at
        self._vtable = vtable
        self._slots = slots

    def _position(self, slot: int) -> int | None:
        if slot >= self._slots:
            return None
        distance = self._buffer.scalar("uint16", self._vtable + 4 + 2 * slot)
        return self._at + distance if distance else None

    def __getitem__(self, name: str) -> Any:
        buffer, field = self._buffer, self._buffer.schema[self.name][name]
        at = self._position(field.slot)
        if at is None:
            return field.default
        if field.type in _SCALARS:
            return buffer.scalar(field.type, at)
        at = buffer.offset(at)
        if field.type == "string":
            return self._text(at)
        if field.type == "[uint8]":
            start, length = buffer.vector(at, 1)
            return buffer.data[start : start + length]
        if field.type.startswith("["):
            return list(self._elements(field.type[1:-1], at))
        return buffer.table(field.type, at)

    def union(self, name: str, member: str) -> Table | None:
        """The table in a union, of which the member is known; None if there is none."""
        at = self._position(self._buffer.schema[self.name][name].slot)
        return None if at is None else self._buffer.table(member, self._buffer.offset(at))

    def _text(self, at: int) -> str:
        start, length = self._buffer.vector(at, 1)
        self._buffer.count(length)
        return bytes(self._buffer.data[start : start + length]).decode(errors="replace")

    def _elements(self, kind: str, at: int) -> Iterator[Any]:
        buffer = self._buffer
        size = _SCALARS[kind].size if kind in _SCALARS else 4
        start, length = buffer.vector(at, size)
        buffer.count(length * size)
        if kind in _SCALARS:
            yield from struct.unpack_from(f"<{length}{_CODES[kind]}", buffer.data, start)
            return
        for place in range(start, start + 4 * length, 4):
            target = buffer.offset(place)
            yield self._text(target) if kind == "string" else buffer.table(kind, target)
