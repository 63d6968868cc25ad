"""Conversion of exceptions from user functions to TensorFlow's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...runtime import errors
from ...runtime.interrupts import let_through

_KINDS: list[tuple[type[Exception], type[errors.OpError]]] = [
    (StopIteration, errors.OutOfRangeError),  # the program's own data have come to their end
    (NotImplementedError, errors.UnimplementedError),
    (Exception, errors.UnknownError),
]
_LEFT = (errors.OpError, ValueError, TypeError, MemoryError)  # what every kernel may raise


@contextmanager
def in_the_program() -> Iterator[None]:
    """A `with` block in which a function of the program is called.

    Interrupts come at once. An error that no kernel raises is one of a class that TensorFlow
    gives to it, and says which error of Python it was.
    """
    try:
        with let_through():
            yield
    except _LEFT:
        raise
    except Exception as error:
        kind = next(kind for python, kind in _KINDS if isinstance(error, python))
        raise kind(None, None, f"{type(error).__name__}: {error}") from error
