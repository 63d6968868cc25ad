"""Heat maps of pictures: cost of ops, size of their results, run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...graph.graph import Graph
from ...session.profile import Profile, RunMetadata
from ...shape_inference.symbolic.formulas import Formula
from ..cost import cost
from .drawing import Box, draw_graph

COLORS = ("cost", "memory")
PALE, STRONG = (255, 246, 222), (240, 112, 40)
COLD = "#eeeeee"  # of what does not run
_PREFIXES = ("", "k", "M", "G", "T", "P")
_LEAST = 0.005  # the smallest share shown in a box


class Heat(NamedTuple):
    """A number for each op, and its sum for each name scope.

    Args:
        title: what is counted.
        unit: in what.
        ops: the numbers, by the names of ops; those that are not in it do not run.
        scopes: the sums, by the names of scopes.
    """

    title: str
    unit: str
    ops: dict[str, float]
    scopes: dict[str, float]

    @property
    def total(self) -> float:
        """The sum of all."""
        return sum(self.ops.values())

    def of(self, box: Box) -> float | None:
        """The figure of a box; None where nothing in it runs."""
        if box.kind not in ("closed", "stack"):
            return self.ops.get(box.name)
        numbers = [self.scopes.get(scope) for scope in box.scopes or (box.name,)]
        run = [number for number in numbers if number is not None]
        return sum(run) if run else None

    def label(self, box: Box) -> str:
        """The share as text, such as `34 %`; "" where it is negligible."""
        share = (self.of(box) or 0.0) / (self.total or 1.0)
        return f"{share:.0%}".replace("%", " %") if share >= _LEAST else ""

    def tones(self, boxes: Sequence[Box]) -> list[str]:
        """The colours of some boxes, the strongest that of the one with the most."""
        numbers = [self.of(box) for box in boxes]
        most = max((number for number in numbers if number), default=1.0)
        return [COLD if number is None else tone(number / most) for number in numbers]

    @property
    def legend(self) -> str:
        """Legend of the colours, in one line."""
        return f"the darker, the more {self.title}: {_amount(self.total, self.unit)} in all"


def tone(share: float) -> str:
    """The colour of a box, from pale to strong, by its share of the largest figure."""
    strength = share**0.5
    mixed = [round(a + (b - a) * strength) for a, b in zip(PALE, STRONG, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def heats(
    graph: Graph,
    color: str | Profile | RunMetadata,
    sizes: Mapping[str, int] | None = None,
    shapes: Mapping[str, Any] | None = None,
    positive: bool = False,
) -> list[Heat]:
    """Heat maps available for the boxes of a picture; the requested one comes first.

    Args:
        graph: the graph.
        color: "cost" or "memory", computed from the graph; or measurements of a session.
        sizes: numbers for named sizes; by default each is 1.
        shapes: the shapes of inputs that the graph leaves unknown, by name.
        positive: whether no size of an input is 0.

    Raises:
        ValueError: it is none of these, or there is no size of a name.
        UnimplementedError: an op is not supported, so that nothing is known of its cost.
    """
    boxes = draw_graph(graph).boxes
    if isinstance(color, (Profile, RunMetadata)):
        measured = (color if isinstance(color, Profile) else Profile([color])).ops
        return [
            _heat("time", "s", boxes, {op.name: op.seconds for op in measured}),
            _heat("memory of results", "B", boxes, {op.name: op.nbytes for op in measured}),
        ]
    if color not in COLORS:
        raise ValueError(
            f"color must be {' or '.join(map(repr, COLORS))}, or what session.profile(...) "
            f"returns, got {color!r}"
        )
    counted = cost(graph, shapes=shapes, positive=positive)
    ops = counted.at(**dict.fromkeys(counted.names, 1) | dict(sizes or {})).by_op
    found = [
        _heat("operations", "", boxes, {op.name: _number(op.flops) for op in ops}),
        _heat("memory of results", "B", boxes, {op.name: _number(op.written) for op in ops}),
    ]
    return found if color == "cost" else found[::-1]


def _number(amount: Any) -> float:
    """An amount as a number; of a range the greatest, and 0 where nothing is known of it."""
    if isinstance(amount, Formula):  # of sizes and rounds that no input gives a name
        amount = amount.at(dict.fromkeys(amount.names, 1))
    if isinstance(amount, Formula):
        return 0.0
    return float(amount[-1] if isinstance(amount, tuple) else amount)


def _heat(title: str, unit: str, boxes: Sequence[Box], numbers: Mapping[str, float]) -> Heat:
    ops: dict[str, float] = {}
    scopes: dict[str, float] = {}
    for box in boxes:
        names = [name for name in (box.name, *box.reported) if name in numbers]
        if not names:
            continue
        number = ops[box.name] = numbers[names[0]]
        parts = box.scope.split("/") if box.scope else []
        for i in range(1, len(parts) + 1):
            scope = "/".join(parts[:i])
            scopes[scope] = scopes.get(scope, 0.0) + number
    return Heat(title, unit, ops, scopes)


def _amount(number: float, unit: str) -> str:
    """`1.2 G`, `34 ms`."""
    if unit == "s":
        return f"{number * 1e3:.3g} ms" if number < 1 else f"{number:.3g} s"
    power = 0
    while number >= 1000 and power < len(_PREFIXES) - 1:
        number, power = number / 1000, power + 1
    return f"{number:.3g} {_PREFIXES[power]}{unit}".rstrip()
