"""Selection of the part of a graph that a picture shows, and of the open scopes."""

from __future__ import annotations

from typing import NamedTuple

from ...graph.graph import Graph
from .drawing import Drawing, draw_graph
from .selection import selected
from .simplified import with_constants_folded, with_scopes_closed
from .stacks import Stack, scopes_around, stacks_of

_HANDING_ON = ("Identity", "IdentityN", "NoOp", "Const")


class Choice(NamedTuple):
    """The view of a graph that is drawn.

    Args:
        whole: all of it, with all scopes open.
        scope: the scope that all of it is in, from which on others are counted; "" for none.
        depth: how many scopes may stand around a box; None for the default.
        stacks: the scopes that repeat, to be shown as one.
        only_closed: whether a picture that opens nothing stacks only what `depth` closes anyway.
    """

    whole: Drawing
    scope: str = ""
    depth: int | None = None
    stacks: tuple[Stack, ...] = ()
    only_closed: bool = False

    @property
    def drawing(self) -> Drawing:
        """The picture with its scopes closed, as one that does not open them shows it."""
        stacks = self.stacks
        if self.only_closed:
            least = self.scope.count("/") + 1 if self.scope else 0
            level = None if self.depth is None else least + self.depth
            stacks = tuple(stack for stack in stacks if stack.scopes[0].count("/") == level)
        if self.depth is None and not stacks:
            return self.whole
        return with_scopes_closed(self.whole, self.depth, self.scope, stacks)


def chosen(
    graph: Graph,
    scope: str | None = None,
    depth: int | None = None,
    around: str | None = None,
    path: tuple[str, str] | None = None,
    stacks: bool | None = None,
) -> Choice:
    """Selects what `draw` shows of a graph.

    Raises:
        ValueError: there is no such scope or op, or no way between two; `depth` is negative.
    """
    if depth is not None and depth < 0:
        raise ValueError(f"depth must not be negative, got {depth}")
    named = [name.partition(":")[0] for name in (around, *(path or ())) if name is not None]
    folded = with_constants_folded(draw_graph(graph), named)
    wanted = selected(folded, scope, around, path)
    repeats = () if stacks is False else tuple(stacks_of(wanted, named))
    return Choice(
        wanted, (scope or "").rstrip("/") or lone_scope(wanted), depth, repeats, not stacks
    )


def lone_scope(drawing: Drawing) -> str:
    """The scope that contains all but inputs and identities; "" where there is none.

    A closed one shows no more than that.
    """
    inside = [
        scopes_around(box.scope)
        for box in drawing.boxes
        if box.kind != "input" and box.op.partition(" ")[0] not in _HANDING_ON
    ]
    if not inside:
        return ""
    common = inside[0]
    for way in inside[1:]:
        number = 0
        while number < min(len(common), len(way)) and common[number] == way[number]:
            number += 1
        common = common[:number]
    return common[-1] if common else ""
