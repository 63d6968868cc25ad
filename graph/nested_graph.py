"""Nested graphs: bodies under construction may use tensors of enclosing graphs."""

from __future__ import annotations

from typing import Any


class NestedGraph:
    """The part of a graph that refers to an enclosing graph, if there is one.

    Attributes:
        outer: the enclosing graph.
        what: the kind of body this is, such as "a while loop".
    """

    def __init__(self) -> None:
        super().__init__()
        self.outer: NestedGraph | None = None
        self.what = ""

    def sees(self, other: NestedGraph) -> bool:
        """Returns whether `other` is this graph or an enclosing one, whose tensors it may use."""
        return self is other or (self.outer is not None and self.outer.sees(other))

    def captured(self, tensor: Any) -> Any:
        """Returns the tensor of this graph that represents `tensor`.

        Raises:
            ValueError: it belongs to a body and is visible only inside it.
        """
        if tensor.graph is not self:
            raise ValueError(out_of_reach(tensor))
        return tensor

    def origin(self, tensor: Any) -> Any:
        """Returns the tensor, perhaps of an enclosing graph, that one of this graph represents."""
        return tensor


def out_of_reach(element: Any) -> str:
    """Explains why a tensor or operation inside a body cannot be used outside."""
    if element.graph.outer is None:
        return (
            f"{element!r} is not an element of this graph: it was built in another; build and run "
            "all of it inside one `with graph.as_default():`"
        )
    what = element.graph.what
    inside = f" because it is in {what}: only what {what} returns can be used" if what else ""
    return f"Cannot use {element.name!r}{inside or ', which is of another graph'}"
