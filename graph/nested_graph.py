"""Graphs inside graphs: bodies that are being built may use what is around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .node import Tensor


class NestedGraph:
    """The part of a graph that knows of a graph around it; most have none."""

    def __init__(self) -> None:
        super().__init__()
        self.outer: NestedGraph | None = None

    def sees(self, other: NestedGraph) -> bool:
        """Whether `other` is this graph or one around it, whose tensors may be used here."""
        return self is other or (self.outer is not None and self.outer.sees(other))

    def captured(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that stands for `tensor`."""
        return tensor
