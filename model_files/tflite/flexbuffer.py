"""Values of a FlexBuffer, the options of custom ops: numbers, texts, lists and maps."""

from __future__ import annotations

import struct
from typing import Any

from .flatbuffer import MalformedError

_NULL, _INT, _UINT, _FLOAT, _KEY, _STRING = range(6)
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_MAP, _VECTOR = 9, 10
_TYPED = {11: _INT, 12: _UINT, 13: _FLOAT, 14: _KEY, 15: _STRING, 36: 26}
_BLOB, _BOOL = 25, 26
_FORMATS = {_INT: "bhiq", _UINT: "BHIQ", _FLOAT: "eefd", _BOOL: "BHIQ"}
_WIDTHS = (1, 2, 4, 8)
_DEEPEST = 8
_MOST_VALUES = 1 << 16


def read_flexbuffer(data: bytes) -> Any:
    """The value that a FlexBuffer holds.

    Args:
        data: its bytes.

    Raises:
        MalformedError: they are not a FlexBuffer, or it is too large or too deep.
    """
    if len(data) < 3 or data[-1] not in _WIDTHS:
        raise MalformedError("its options are no FlexBuffer")
    width = data[-1]
    return _Reader(data).value(len(data) - 2 - width, width, data[-2], 0)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = _MOST_VALUES

    def value(self, at: int, width: int, packed: int, depth: int) -> Any:
        """The value at a position, whose type and width of children are packed into a byte."""
        self.left -= 1
        if depth > _DEEPEST or self.left < 0:
            raise MalformedError("its options are nested too deep, or too many")
        kind, inner = packed >> 2, _WIDTHS[packed & 3]
        if kind == _NULL:
            return None
        if kind in _FORMATS:
            value = self.number(at, width, kind)
            return bool(value) if kind == _BOOL else value
        at = self.target(at, width)
        if kind in _INDIRECT:
            return self.number(at, inner, _INDIRECT[kind])
        if kind == _KEY:
            return self.key(at)
        if kind in (_STRING, _BLOB):
            size = self.number(at - inner, inner, _UINT)
            text = self.bytes(at, size)
            return text if kind == _BLOB else text.decode(errors="surrogateescape")
        if kind == _MAP:
            keys = self.target(at - 3 * inner, inner)
            width_of_keys = self.number(at - 2 * inner, inner, _UINT)
            if width_of_keys not in _WIDTHS:
                raise MalformedError(f"its options have keys of {width_of_keys} bytes")
            names = self.items(keys, width_of_keys, _KEY, depth)
            return dict(zip(names, self.items(at, inner, None, depth), strict=False))
        if kind == _VECTOR or kind in _TYPED:
            return self.items(at, inner, _TYPED.get(kind), depth)
        raise MalformedError(f"its options have a value of type {kind}: not supported")

    def items(self, at: int, width: int, kind: int | None, depth: int) -> list[Any]:
        size = self.number(at - width, width, _UINT)
        types = self.bytes(at, size * (width + (kind is None)))[size * width :]
        return [
            self.value(at + i * width, width, types[i] if kind is None else kind << 2, depth + 1)
            for i in range(size)
        ]

    def number(self, at: int, width: int, kind: int) -> Any:
        code = _FORMATS[kind][_WIDTHS.index(width)]
        if kind == _FLOAT and width == 1:
            raise MalformedError("its options have a float of one byte")
        return struct.unpack(f"<{code}", self.bytes(at, width))[0]

    def target(self, at: int, width: int) -> int:
        distance: int = self.number(at, width, _UINT)
        return at - distance

    def key(self, at: int) -> str:
        end = self.data.find(b"\0", at) if at >= 0 else -1
        if end < 0:
            raise MalformedError("its options have a key without an end")
        return self.data[at:end].decode(errors="replace")

    def bytes(self, at: int, size: int) -> bytes:
        if at < 0 or size < 0 or at + size > len(self.data):
            raise MalformedError("its options refer to bytes beyond their end")
        return self.data[at : at + size]
