"""Allocations of arrays that fail, one after the other: NumPy finds no memory for one of them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tensordraft.session.errstate import contexts

# What NumPy's C API calls PyDataMem_SetHandler and -GetHandler: their places in its table.
_SET_HANDLER, _GET_HANDLER = 304, 305
_NAME = b"mem_handler"

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


_current: list[Allocations] = []


def _there_is_memory() -> bool:
    return not _current or _current[-1].next()


def _malloc(context: Any, size: int) -> Any:
    return _plain_malloc(context, size) if _there_is_memory() else None


def _calloc(context: Any, number: int, size: int) -> Any:
    return _plain_calloc(context, number, size) if _there_is_memory() else None


def _realloc(context: Any, place: int, size: int) -> Any:
    return _plain_realloc(context, place, size) if _there_is_memory() else None


def _capsule(handler: _Handler) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(handler), _NAME, None)


def _inside(capsule: Any, name: bytes | None) -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, name))


def _functions() -> Any:
    """NumPy's table of functions for C."""
    table = _inside(np._core._multiarray_umath._ARRAY_API, None)  # type: ignore[attr-defined]
    return ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))


_set = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_functions()[_SET_HANDLER])
_plain_capsule = ctypes.PYFUNCTYPE(ctypes.py_object)(_functions()[_GET_HANDLER])()
_plain = _Handler.from_address(_inside(_plain_capsule, _NAME))
# They are called with the interpreter's lock held, as NumPy calls them.
_plain_malloc, _plain_calloc, _plain_realloc = (
    ctypes.PYFUNCTYPE(kind._restype_, *kind._argtypes_)(
        ctypes.cast(function, ctypes.c_void_p).value or 0
    )
    for kind, function in (
        (_Malloc, _plain.malloc),
        (_Calloc, _plain.calloc),
        (_Realloc, _plain.realloc),
    )
)
# An array keeps the handler that it was allocated with, so this one lives for ever. Memory is freed
# by NumPy's own function: it is called while exceptions are under way, where no Python may run.
_handler = _Handler(
    b"failing",
    1,
    _plain.context,
    _Malloc(_malloc),
    _Calloc(_calloc),
    _Realloc(_realloc),
    _plain.free,
)
_ours = _capsule(_handler)


@contextmanager
def failing(at: int | None) -> Iterator[Allocations]:
    """Lets the allocation of number `at` in a block fail: in this thread, also within runs."""
    allocations = Allocations(at)
    outer, outer_of_runs = _set(_ours), contexts.run(_set, _ours)
    _current.append(allocations)
    try:
        yield allocations
    finally:
        _current.pop()
        _set(outer)
        contexts.run(_set, outer_of_runs)
