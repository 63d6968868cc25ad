"""Branches, loops and calls: they fall apart where their bodies do, in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..shape_inference.split_parts import Falls, Mixes, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.node import Operation


def bodies_fall_apart(op: Operation, around: Any, parts: Sequence[Part]) -> Falls:
    """How an op with bodies falls apart.

    Raises:
        Mixes: it does not.
    """
    raise Mixes("its bodies are not looked into")
