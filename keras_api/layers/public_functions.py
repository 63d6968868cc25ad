"""Public functions by name, for configs that name functions."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_ROOT = __name__.partition(".")[0]


def function_of(path: str) -> Any:
    """The public function with a name such as "math.exp"; None if there is none."""
    found: Any = import_module(_ROOT)
    for part in path.split("."):
        if part.startswith("_"):
            return None
        found = getattr(found, part, None)
    return found


def call(path: str, *args: Any, **kwargs: Any) -> Any:
    """The result of the public function with a name.

    Args:
        path: the name.
        args: its arguments.
        kwargs: its arguments.
    """
    return function_of(path)(*args, **kwargs)
