"""FarmHash's 64-bit fingerprint of a string, which is the same everywhere and for ever."""

from __future__ import annotations

import struct
from typing import NamedTuple

_WORD = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


class _Pair(NamedTuple):
    first: int
    second: int


def fingerprint64(text: bytes) -> int:
    """The fingerprint of `text`, a number of 64 bits."""
    if len(text) <= 16:
        return _of_few(text)
    if len(text) <= 32:
        return _of_up_to_32(text)
    if len(text) <= 64:
        return _of_up_to_64(text)
    return _of_many(text)


def _word(text: bytes, at: int) -> int:
    return int(struct.unpack_from("<Q", text, at)[0])


def _rotated(x: int, by: int) -> int:
    x &= _WORD
    return (x >> by | x << (64 - by)) & _WORD


def _shifted(x: int) -> int:
    x &= _WORD
    return x ^ x >> 47


def _mixed(u: int, v: int, factor: int) -> int:
    a = _shifted(((u ^ v) & _WORD) * factor)
    return _shifted(((v & _WORD) ^ a) * factor) * factor & _WORD


def _of_few(text: bytes) -> int:
    length = len(text)
    factor = _K2 + 2 * length
    if length >= 8:
        a, b = _word(text, 0) + _K2, _word(text, length - 8)
        c = _rotated(b, 37) * factor + a
        d = (_rotated(a, 25) + b) * factor
        return _mixed(c, d, factor)
    if length >= 4:
        first = int.from_bytes(text[:4], "little")
        last = int.from_bytes(text[-4:], "little")
        return _mixed(length + (first << 3), last, factor)
    if length:
        y = text[0] + (text[length >> 1] << 8)
        z = length + (text[-1] << 2)
        return _shifted(y * _K2 ^ z * _K0) * _K2 & _WORD
    return _K2


def _of_up_to_32(text: bytes) -> int:
    length = len(text)
    factor = _K2 + 2 * length
    a, b = _word(text, 0) * _K1, _word(text, 8)
    c, d = _word(text, length - 8) * factor, _word(text, length - 16) * _K2
    u = _rotated(a + b, 43) + _rotated(c, 30) + d
    return _mixed(u, a + _rotated(b + _K2, 18) + c, factor)


def _of_up_to_64(text: bytes) -> int:
    length = len(text)
    factor = _K2 + 2 * length
    a, b = _word(text, 0) * _K2, _word(text, 8)
    c, d = _word(text, length - 8) * factor, _word(text, length - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _mixed(y, a + _rotated(b + _K2, 18) + c, factor)
    e, f = _word(text, 16) * factor, _word(text, 24)
    g = (y + _word(text, length - 32)) * factor
    h = (z + _word(text, length - 24)) * factor
    u = _rotated(e + f, 43) + _rotated(g, 30) + h
    return _mixed(u, e + _rotated(f + a, 18) + g, factor)


def _weak(text: bytes, at: int, a: int, b: int) -> _Pair:
    """Two words that mix 32 bytes with `a` and `b`."""
    w, x, y, z = struct.unpack_from("<4Q", text, at)
    a += w
    b = _rotated(b + a + z, 21)
    c = a
    a += x + y
    b += _rotated(a, 44)
    return _Pair((a + z) & _WORD, (b + c) & _WORD)


def _of_many(text: bytes) -> int:
    x, y = 81, (81 * _K1 + 113) & _WORD
    z = _shifted(y * _K2 + 113) * _K2 & _WORD
    v = w = _Pair(0, 0)
    x = x * _K2 + _word(text, 0)
    rest = (len(text) - 1) & 63
    for at in range(0, len(text) - 1 - rest, 64):
        x = _rotated(x + y + v.first + _word(text, at + 8), 37) * _K1
        y = _rotated(y + v.second + _word(text, at + 48), 42) * _K1
        x ^= w.second
        y += v.first + _word(text, at + 40)
        z = _rotated(z + w.first, 33) * _K1
        v = _weak(text, at, v.second * _K1, x + w.first)
        w = _weak(text, at + 32, z + w.second, y + _word(text, at + 16))
        x, z = z & _WORD, x & _WORD
        y &= _WORD
    factor = _K1 + ((z & 0xFF) << 1)
    at = len(text) - 64
    w = _Pair(w.first + rest, w.second)
    v = _Pair(v.first + w.first, v.second)
    w = _Pair(w.first + v.first, w.second)
    x = _rotated(x + y + v.first + _word(text, at + 8), 37) * factor
    y = _rotated(y + v.second + _word(text, at + 48), 42) * factor
    x ^= w.second * 9
    y += v.first * 9 + _word(text, at + 40)
    z = _rotated(z + w.first, 33) * factor
    v = _weak(text, at, v.second * factor, x + w.first)
    w = _weak(text, at + 32, z + w.second, y + _word(text, at + 16))
    x, z = z, x
    u = _mixed(v.first, w.first, factor) + _shifted(y) * _K0 + z
    return _mixed(u, _mixed(v.second, w.second, factor) + x, factor)
