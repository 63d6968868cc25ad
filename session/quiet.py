"""Running without NumPy's floating-point warnings, at less than the cost of `np.errstate`."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


class _QuietContexts(threading.local):
    """A context for each thread in which NumPy ignores floating-point errors."""

    def __init__(self) -> None:
        self.context = contextvars.copy_context()
        self.context.run(np.seterr, all="ignore")
        self.entered = False


_contexts = _QuietContexts()


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with infinities and NaNs made silently, as TensorFlow makes them."""
    contexts = _contexts
    if contexts.entered:
        return function(*arguments)
    contexts.entered = True
    try:
        return contexts.context.run(function, *arguments)
    finally:
        contexts.entered = False
