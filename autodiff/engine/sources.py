"""The current call of `td.gradients`: TensorArrays keep the gradients of each call apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_source: ContextVar[str] = ContextVar("_source", default="gradients")


def gradient_source() -> str:
    """The name of the call."""
    return _source.get()


@contextmanager
def answering(scope: str) -> Iterator[None]:
    """Names the call inside a `with` block."""
    token = _source.set(scope.rstrip("/") or "gradients")
    try:
        yield
    finally:
        _source.reset(token)
