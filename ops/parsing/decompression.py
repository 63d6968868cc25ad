"""Decompression of strings into memory that is allocated once."""

from __future__ import annotations

import zlib

from ...protos.config import config
from ...runtime import errors

WINDOWS = {b"GZIP": 31, b"ZLIB": 15}  # the `wbits` of zlib for each format
_LARGE = 1 << 24


def inflated(text: bytes, kind: bytes, room: int) -> bytes:
    """Decompresses a string.

    Args:
        text: the string.
        kind: how it is compressed: a key of `WINDOWS`.
        room: the most bytes that it may hold.

    Raises:
        DataLossError: it is damaged.
        ResourceExhaustedError: it holds more.
    """
    if not text:
        return b""
    try:
        return _inflated(text, kind, room)
    except zlib.error as error:
        raise errors.DataLossError(
            None, None, f"a string of {len(text)} bytes is not valid {kind.decode()}: {error}"
        ) from None


def _inflated(text: bytes, kind: bytes, room: int) -> bytes:
    """Decompresses a string with a decompressor.

    A large one is gone through twice: when its size is known, it is put where it stays. A result
    that grows would be there twice in the end.
    """
    machine = zlib.decompressobj(WINDOWS[kind])
    result = machine.decompress(text, min(room, _LARGE) or 1)
    size = len(result)
    while machine.unconsumed_tail and size <= room:
        result = b""
        size += len(machine.decompress(machine.unconsumed_tail, _LARGE))
    if size > room:
        limit = config.max_tensor_bytes
        raise errors.ResourceExhaustedError(
            None, None, f"strings hold more than td.config.max_tensor_bytes = {limit} bytes"
        )
    if not machine.eof:
        raise errors.DataLossError(
            None, None, f"a string of {len(text)} bytes ends amid its {kind.decode()} data"
        )
    if len(result) == size:
        return result
    return zlib.decompress(text, WINDOWS[kind], size)
