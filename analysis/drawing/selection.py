"""Parts of pictures: a scope, the surroundings of an op, the paths from one op to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from .drawing import Drawing
from .simplified import part

Node = TypeVar("Node")

_STEPS = 2  # from an op to what is around it
_MOST_NAMES = 3


def selected(
    drawing: Drawing,
    scope: str | None = None,
    around: str | None = None,
    path: tuple[str, str] | None = None,
) -> Drawing:
    """Filters a picture: keeps what meets all conditions.

    Args:
        drawing: the picture.
        scope: a name scope; what is in it is wanted.
        around: the name of an op; it is wanted, and what lies two lines before or behind it.
        path: the names of two ops; all that lies on a way from the first to the second is wanted.

    Raises:
        ValueError: there is no such scope or op; no way leads from the first op to the second.
    """
    kept = set(range(len(drawing.boxes)))
    if scope is not None:
        kept &= _in_scope(drawing, scope)
    if around is not None or path is not None:
        before: dict[int, list[int]] = {}
        behind: dict[int, list[int]] = {}
        for line in drawing.lines:
            before.setdefault(line.target, []).append(line.source)
            behind.setdefault(line.source, []).append(line.target)
        if around is not None:
            start = _number(drawing, around)
            near = reached_from(start, before, _STEPS), reached_from(start, behind, _STEPS)
            kept &= near[0].union(near[1])
        if path is not None:
            first, last = (_number(drawing, name) for name in path)
            way, back = reached_from(first, behind), reached_from(last, before)
            way &= back
            if not way:
                raise ValueError(f"no way leads from {path[0]!r} to {path[1]!r}")
            kept &= way
    return part(drawing, kept)


def reached_from(
    start: Node, links: Mapping[Node, Iterable[Node]], steps: int | None = None
) -> set[Node]:
    """Boxes that can be reached from a box within a number of steps."""
    reached, newest = {start}, [start]
    while newest and steps != 0:
        newest = [*dict.fromkeys(end for i in newest for end in links.get(i, ()))]
        newest = [i for i in newest if i not in reached]
        reached.update(newest)
        steps = None if steps is None else steps - 1
    return reached


def _in_scope(drawing: Drawing, scope: str) -> set[int]:
    inside = f"{scope.rstrip('/')}/"
    members = {i for i, box in enumerate(drawing.boxes) if box.name.startswith(inside)}
    if not members:
        scopes = dict.fromkeys(box.scope for box in drawing.boxes if box.scope)
        raise ValueError(f"nothing is in a scope named {scope!r}{_alike(scope, scopes)}")
    return members


def _number(drawing: Drawing, name: str) -> int:
    """The number of the op called `name`; it may be one of its tensors that is named."""
    op_name = name.partition(":")[0]
    for i, box in enumerate(drawing.boxes):
        if box.name == op_name:
            return i
    names = (box.name for box in drawing.boxes)
    raise ValueError(f"there is no op named {op_name!r}{_alike(op_name, names)}")


def _alike(name: str, known: Iterable[str]) -> str:
    matches = get_close_matches(name, known, n=_MOST_NAMES)
    return f"; did you mean {' or '.join(map(repr, matches))}?" if matches else ""
