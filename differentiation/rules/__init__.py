"""The rules, in modules named after the rooms of `ops`."""

from __future__ import annotations

from . import (
    array as array,
    effects as effects,
    indexing as indexing,
    linalg as linalg,
    math as math,
    math_reductions as math_reductions,
    variables as variables,
)


def load() -> None:
    """Does nothing: importing this has brought in the rules."""
