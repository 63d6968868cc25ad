"""Pictures with less in them: constants in their ops, gatherers aside, scopes closed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .drawing import Box, Drawing, Line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FEWEST_ALIKE = 3  # ops of scopes that are told to be alike
_FEWEST_ASIDE = 3  # ops that one waits for
# What inputs are called in programs, where op types have older names for them.
_ARGUMENTS = {"concat_dim": "axis", "reduction_indices": "axis", "split_dim": "axis"}


def with_gatherers_aside(drawing: Drawing) -> Drawing:
    """The picture without the lines into ops that only wait for others, such as a NoOp.

    Such an op is told how many it waits for; their lines would cross the whole picture.
    """
    waits = Counter(line.target for line in drawing.lines if line.control)
    lines_of_data = [line for line in drawing.lines if not line.control]
    computes = {end for line in lines_of_data for end in (line.source, line.target)}
    aside = {i: n for i, n in waits.items() if n >= _FEWEST_ASIDE and i not in computes}
    boxes = [
        box._replace(op=f"{box.op}, after {aside[i]} ops") if i in aside else box
        for i, box in enumerate(drawing.boxes)
    ]
    return Drawing(boxes, [line for line in drawing.lines if line.target not in aside])


def with_constants_folded(drawing: Drawing, shown: Collection[str] = ()) -> Drawing:
    """The picture with constants told in the boxes that they lead to: `Mean  axis=1`.

    Args:
        drawing: the picture.
        shown: names of constants that keep their boxes.
    """
    boxes = drawing.boxes
    waiting = {end for line in drawing.lines if line.control for end in (line.source, line.target)}
    folded = {
        i for i, box in enumerate(boxes) if box.value and i not in waiting and box.name not in shown
    }
    told: dict[int, list[Line]] = {}
    for line in drawing.lines:
        if line.source in folded:
            told.setdefault(line.target, []).append(line)
    used = {line.source for lines in told.values() for line in lines}
    changed = [
        box if i not in told else _telling(box, told[i], boxes) for i, box in enumerate(boxes)
    ]
    return part(Drawing(changed, drawing.lines), set(range(len(boxes))) - used)


def _telling(box: Box, lines: list[Line], boxes: list[Box]) -> Box:
    """A box that tells the constants that some lines lead from."""
    texts = [box.op]
    for line in lines:
        value = boxes[line.source].value
        argument = _ARGUMENTS.get(line.argument, line.argument)
        texts.append(value if value == line.label else f"{argument}={value}")
    constants = tuple(f"{boxes[line.source].name} = {boxes[line.source].value}" for line in lines)
    return box._replace(op="  ".join(texts), constants=constants)


def with_scopes_closed(drawing: Drawing, depth: int, scope: str = "") -> Drawing:
    """The picture with one box for each scope that stands deeper than `depth`.

    Args:
        drawing: the picture.
        depth: how many scopes stand around a box at most.
        scope: the scope from which on they are counted.
    """
    most = depth + (scope.count("/") + 1 if scope else 0)
    return closed(drawing, [outer_scope(box, most) for box in drawing.boxes])


def outer_scope(box: Box, most: int) -> str | None:
    """The outermost scope of a box around which `most` others stand; None where that has none."""
    parts = box.scope.split("/", most + 1) if box.scope else []
    return "/".join(parts[: most + 1]) if len(parts) > most else None


def closed(drawing: Drawing, scopes: Sequence[str | None]) -> Drawing:
    """The picture with one box for all that are in one scope.

    Args:
        drawing: the picture.
        scopes: for each box the scope that is closed around it, if one is.
    """
    boxes: list[Box] = []
    numbers: list[int] = []
    made: dict[str, int] = {}
    sizes = Counter(scopes)
    first = _first_alike(drawing.boxes, scopes)
    for box, name in zip(drawing.boxes, scopes, strict=True):
        if name is None:
            numbers.append(len(boxes))
            boxes.append(box)
            continue
        if name not in made:
            made[name] = len(boxes)
            told = "1 op" if sizes[name] == 1 else f"{sizes[name]} ops"
            if first[name] != name:
                told += f", as {first[name].rpartition('/')[2]}"
            boxes.append(Box(name, told, "closed", (), ""))
        numbers.append(made[name])
    ends: dict[tuple[int, int], list[Line]] = {}
    for line in drawing.lines:
        source, target = numbers[line.source], numbers[line.target]
        if source != target:
            ends.setdefault((source, target), []).append(line)
    return Drawing(boxes, [_together(*pair, lines) for pair, lines in ends.items()])


def _first_alike(boxes: Sequence[Box], scopes: Sequence[str | None]) -> dict[str, str]:
    """For each scope the first that holds the same ops in the same order, with the same types."""
    members: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for box, name in zip(boxes, scopes, strict=True):
        if name is not None:
            members.setdefault(name, []).append((box.op, box.types))
    firsts: dict[object, str] = {}
    return {
        name: firsts.setdefault(tuple(ops), name) if len(ops) >= _FEWEST_ALIKE else name
        for name, ops in members.items()
    }


def _together(source: int, target: int, lines: list[Line]) -> Line:
    """One line for all between two boxes."""
    if len(lines) == 1:
        return lines[0]._replace(source=source, target=target)
    labels = list(dict.fromkeys(line.label for line in lines if not line.control))
    tensors = sum(not line.control for line in lines)
    label = labels[0] if tensors == 1 else f"{tensors} tensors" if labels else ""
    return Line(source, target, label, not labels)


def part(drawing: Drawing, kept: Collection[int]) -> Drawing:
    """The boxes of some numbers, and the lines between them."""
    numbers = {old: new for new, old in enumerate(sorted(kept))}
    lines = [
        line._replace(source=numbers[line.source], target=numbers[line.target])
        for line in drawing.lines
        if line.source in numbers and line.target in numbers
    ]
    return Drawing([drawing.boxes[i] for i in numbers], lines)
