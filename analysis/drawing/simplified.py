"""Pictures with less in them: constants in their ops, gatherers aside, scopes closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from .drawing import Box, Drawing, Line
from .stacks import Stack, scopes_around

_FEWEST_ALIKE = 3  # ops of scopes that are marked as equal
_FEWEST_ASIDE = 3  # ops that one waits for
# What inputs are called in programs, where op types have older names for them.
_ARGUMENTS = {"concat_dim": "axis", "reduction_indices": "axis", "split_dim": "axis"}


def with_gatherers_aside(drawing: Drawing) -> Drawing:
    """The picture without the lines into ops that only wait for others, such as a NoOp.

    Such an op shows how many it waits for; their lines would cross the whole picture.
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
    """The picture with constants shown in the boxes that they lead to: `Mean  axis=1`.

    Args:
        drawing: the picture.
        shown: names of constants that keep their boxes.
    """
    boxes = drawing.boxes
    waiting = {end for line in drawing.lines if line.control for end in (line.source, line.target)}
    folded = {
        i for i, box in enumerate(boxes) if box.value and i not in waiting and box.name not in shown
    }
    by_target: dict[int, list[Line]] = {}
    for line in drawing.lines:
        if line.source in folded:
            by_target.setdefault(line.target, []).append(line)
    used = {line.source for lines in by_target.values() for line in lines}
    changed = [
        box if i not in by_target else _with_constants(box, by_target[i], boxes)
        for i, box in enumerate(boxes)
    ]
    return part(Drawing(changed, drawing.lines), set(range(len(boxes))) - used)


def _with_constants(box: Box, lines: list[Line], boxes: list[Box]) -> Box:
    """The box with the constants that some lines lead from."""
    texts = [box.op]
    for line in lines:
        value = boxes[line.source].value
        argument = _ARGUMENTS.get(line.argument, line.argument)
        texts.append(value if value == line.label else f"{argument}={value}")
    constants = tuple(f"{boxes[line.source].name} = {boxes[line.source].value}" for line in lines)
    return box._replace(op="  ".join(texts), constants=constants)


def with_scopes_closed(
    drawing: Drawing, depth: int | None, scope: str = "", stacks: Sequence[Stack] = ()
) -> Drawing:
    """The picture with one box for each scope nested deeper than `depth`.

    Args:
        drawing: the picture.
        depth: how many scopes stand around a box at most; any number, if it is None.
        scope: the scope from which on they are counted.
        stacks: what is one box, too, in `scope`, also where it does not stand so deep.
    """
    least = scope.count("/") + 1 if scope else 0
    most = None if depth is None else depth + least
    outer = Outer(stacks)
    scopes = [outer.around(box, least, most) for box in drawing.boxes]
    return closed(drawing, scopes, outer.stacks)


class Outer:
    """Closed scopes around boxes.

    Args:
        stacks: the stacks that are one box each.

    Attributes:
        stacks: their scopes, by their names.
    """

    def __init__(self, stacks: Sequence[Stack]) -> None:
        self.stacks = {stack.name: stack.scopes for stack in stacks}
        self._stacks = {scope: name for name, scopes in self.stacks.items() for scope in scopes}
        self._stacked: dict[str, list[tuple[int, str]]] = {}

    def around(self, box: Box, least: int, most: int | None) -> str | None:
        """The outermost scope or stack of a box that is closed; None where none is.

        Args:
            box: the box.
            least: how many scopes around it are certainly open.
            most: how many of them may be.
        """
        scope = box.scope
        if self._stacks:
            if scope not in self._stacked:
                ways = enumerate(scopes_around(scope))
                found = [(i, self._stacks[way]) for i, way in ways if way in self._stacks]
                self._stacked[scope] = found
            for level, name in self._stacked[scope]:
                if level >= least and (most is None or level <= most):
                    return name
        if most is None or not scope:
            return None
        parts = scope.split("/", most + 1)
        return "/".join(parts[: most + 1]) if len(parts) > most else None


def closed(
    drawing: Drawing, scopes: Sequence[str | None], stacks: Mapping[str, tuple[str, ...]]
) -> Drawing:
    """The picture with one box for all that are in one scope.

    Args:
        drawing: the picture.
        scopes: for each box the scope, or the stack, that is closed around it, if one is.
        stacks: the scopes of stacks, by their names.
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
            if name in stacks:
                inside = stacks[name]
                text = f"{len(inside)}× {sizes[name] // len(inside)} ops"
                boxes.append(Box(name, text, "stack", (), "", scopes=inside))
            else:
                text = "1 op" if sizes[name] == 1 else f"{sizes[name]} ops"
                if first[name] != name:
                    text += f", as {first[name].rpartition('/')[2]}"
                boxes.append(Box(name, text, "closed", (), ""))
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
