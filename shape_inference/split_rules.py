"""Split rules shared by several families of ops, beyond the notation."""

from __future__ import annotations

from typing import Any

from .split_parts import WHOLE, NotSplittable, Part, Partition, Rule, SplitContext, along, per_row
from .symbolic.symbolic import Dim, equal


def all_but(*names: str) -> Rule:
    """Rule of an op that can be split along all axes except those in arguments or attrs."""

    def rule(c: SplitContext) -> Partition:
        part = c.parts[0]
        if part.kind != "split":
            raise NotSplittable("what is split is not what it works on")
        rank = len(c.known_sizes(c.node.inputs[0]))
        named: list[Any] = []
        for name in names:
            value = c.node.attrs[name] if name in c.node.attrs else c.needed(name)
            named += value if isinstance(value, list) else value.reshape(-1).tolist()
        if part.axis in {int(axis) % rank for axis in named}:
            raise NotSplittable(f"it goes along axis {part.axis}, which is split")
        others = [WHOLE] * (len(c.parts) - 1)
        return Partition([part, *others], [part] * len(c.node.outputs))

    return rule


def following(*moved: str) -> Rule:
    """The rule of an op that keeps elements in their order along each axis.

    So an axis of the result that has the size of what is split is that axis: where an op took
    some of it, or put something beside it, the size would change. The static shape decides.

    Args:
        moved: the arguments whose elements are moved; all others are sizes and places.
    """

    def rule(c: SplitContext) -> Partition:
        positions = c.node.definition.input_positions(c.node.attrs)
        data: set[int] = set()
        for name in moved:
            where = positions[name]
            data.update(where if isinstance(where, range) else [where])
        split = [i for i, part in enumerate(c.parts) if part.kind == "split"]
        if not data.issuperset(split):
            raise NotSplittable("where elements go depends on what is split")
        first, axis = split[0], c.parts[split[0]].axis
        size = c.known_sizes(c.node.inputs[first])[axis]
        takes = []
        for i, (edge, part) in enumerate(zip(c.node.inputs, c.parts, strict=True)):
            if i not in data:
                takes.append(part if part.kind == "own" else WHOLE)
                continue
            sizes = c.known_sizes(edge)
            dependent = [k for k, n in enumerate(sizes) if c.depends(n)]
            if dependent and (dependent != [axis] or equal(sizes[axis], size) is not True):
                raise NotSplittable(f"{edge.op.name} has more than the rows along axis {axis}")
            if not dependent and len(sizes) == len(c.known_sizes(c.node.inputs[first])):
                raise NotSplittable(f"{edge.op.name} has no rows where others have them")
            takes.append(along(axis) if dependent else WHOLE)
        return Partition(takes, [_followed(c, i, size) for i in range(len(c.node.outputs))])

    return rule


def _followed(c: SplitContext, output: int, size: Dim) -> Part:
    sizes: Any = c.out_shape(output).sizes
    if sizes is None:
        raise NotSplittable("the rank of its result is not known")
    dependent = [k for k, n in enumerate(sizes) if c.depends(n)]
    if len(dependent) != 1 or equal(sizes[dependent[0]], size) is not True:
        raise NotSplittable(f"it makes {c.out_shape(output)} of what is split")
    return along(dependent[0])


def made_of_sizes(c: SplitContext) -> Partition:
    """Rule of an op that repeats one row, as often as sizes specify."""
    sizes: Any = c.out_shape().sizes
    dependent = [k for k, n in enumerate(sizes or ()) if c.depends(n)]
    if len(dependent) != 1 or per_row(sizes[dependent[0]], c.rows) is None:
        raise NotSplittable(f"its result has the shape {c.out_shape()}")
    return Partition(list(c.parts), [along(dependent[0])])
