"""Allocations of arrays that fail, one after the other: NumPy finds no memory for one of them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# What NumPy's C API calls PyDataMem_SetHandler, by its place in the table of functions.
_SET_HANDLER = 304
_HANDLER = b"mem_handler"

_Malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Calloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_Realloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", _Malloc),
        ("calloc", _Calloc),
        ("realloc", _Realloc),
        ("free", _Free),
    )


class Allocations:
    """The allocations of a block, of which one fails.

    Args:
        failing: the number of the one that fails; None for none.
    """

    def __init__(self, failing: int | None) -> None:
        self.count = 0
        self._failing = failing

    def next(self) -> bool:
        """Counts an allocation; whether there is memory for it."""
        number, self.count = self.count, self.count + 1
        return number != self._failing


_current: Allocations | None = None
_libc = ctypes.CDLL(None)
for _name, _result, _arguments in (
    ("malloc", ctypes.c_void_p, [ctypes.c_size_t]),
    ("calloc", ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]),
    ("realloc", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]),
):
    getattr(_libc, _name).restype, getattr(_libc, _name).argtypes = _result, _arguments


def _there_is_memory() -> bool:
    return _current is None or _current.next()


def _malloc(_: Any, size: int) -> Any:
    return _libc.malloc(size or 1) if _there_is_memory() else None


def _calloc(_: Any, number: int, size: int) -> Any:
    return _libc.calloc(number or 1, size or 1) if _there_is_memory() else None


def _realloc(_: Any, place: int, size: int) -> Any:
    return _libc.realloc(place, size or 1) if _there_is_memory() else None


@_Free
def _free(_: Any, place: int, __: int) -> None:
    _libc.free(ctypes.c_void_p(place))


# An array keeps the handler that it was allocated with: this one lives for ever.
_handler = _Handler(
    b"failing", 1, None, _Malloc(_malloc), _Calloc(_calloc), _Realloc(_realloc), _free
)


def _capsule() -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(_handler), _HANDLER, None)


def _set_handler() -> Any:
    """NumPy's function that puts another handler into force in the context, and returns the old."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = pointer(np._core._multiarray_umath._ARRAY_API, None)  # type: ignore[attr-defined]
    table = ctypes.cast(api, ctypes.POINTER(ctypes.c_void_p))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])


_set = _set_handler()
_ours = _capsule()


@contextmanager
def failing(at: int | None) -> Iterator[Allocations]:
    """Lets the allocation of number `at` in a block fail, in this context of this thread."""
    global _current
    allocations = Allocations(at)
    outer = _set(_ours)
    _current = allocations
    try:
        yield allocations
    finally:
        _current = None
        _set(outer)
