"""Graphs inside graphs: bodies that are being built may use what is around them."""

from __future__ import annotations

from typing import Any


class NestedGraph:
    """The part of a graph that knows of a graph around it; most have none.

    Attributes:
        outer: the graph around this one.
        what: what this one is the body of, such as "a while loop".
    """

    def __init__(self) -> None:
        super().__init__()
        self.outer: NestedGraph | None = None
        self.what = ""

    def sees(self, other: NestedGraph) -> bool:
        """Whether `other` is this graph or one around it, whose tensors may be used here."""
        return self is other or (self.outer is not None and self.outer.sees(other))

    def captured(self, tensor: Any) -> Any:
        """The tensor of this graph that stands for `tensor`.

        Raises:
            ValueError: it is one of a body, which is seen from inside of it alone.
        """
        if tensor.graph is not self:
            raise ValueError(out_of_reach(tensor))
        return tensor

    def origin(self, tensor: Any) -> Any:
        """The tensor, perhaps of a graph around, that one of this graph stands for."""
        return tensor


def out_of_reach(element: Any) -> str:
    """Why a tensor or operation of another graph cannot be used, where a body has it."""
    if element.graph.outer is None:
        return (
            f"{element!r} is not an element of this graph: it was built in another; build and run "
            "all of it inside one `with graph.as_default():`"
        )
    what = element.graph.what
    inside = f" because it is in {what}: only what {what} returns can be used" if what else ""
    return f"Cannot use {element.name!r}{inside or ', which is of another graph'}"
