"""A check of several shapes at once, in which names stand for sizes that have to agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ..array.constants import constant
from ..array.shapes import rank, shape
from ..math.comparison import equal, greater_equal
from .assertions import Assert
from .ordering import group, no_op

public = {"td.debugging": "assert_shapes"}

_ANY_BEFORE = ("...", "*")


class _Size(NamedTuple):
    """Where a size was seen first, and what it is: a number, or a tensor where the run tells."""

    place: str
    value: int | Tensor


def assert_shapes(
    shapes: Mapping[Any, Any] | Iterable[tuple[Any, Any]],
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that tensors have shapes, in which the same name stands for the same size.

    What is known while the graph is built is checked at once; only the rest is left to the run.

    Args:
        shapes: pairs of a tensor and its shape, or a dict of them. A shape is a list whose elements
            are numbers, names, or None for any size; its first may be "..." or "*" for any number
            of dimensions. What is no list stands for a list of one.
        data: the tensors that the error shows; by default the shape of the one that does not fit.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        ValueError: it is known not to hold.
        InvalidArgumentError: it does not hold when the Operation runs.

    Example:
        >>> with td.Graph().as_default():
        ...     x, y = td.zeros([2, 3]), td.zeros([3, 5])
        ...     try:
        ...         td.debugging.assert_shapes([(x, ["rows", "n"]), (y, ["n", "n"])])
        ...     except ValueError as error:
        ...         print(error)
        assert_shapes: size 1 of zeros_1:0 must be n = 3, as size 1 of zeros:0 is, got shape (3, 5)
    """
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    prefix = f"{message}: " if message else ""
    seen: dict[str, _Size] = {}
    checks: list[Operation] = []

    def check(condition: Tensor, x: Tensor, told: str) -> None:
        shown = [constant(f"{prefix}{told}, got shape"), shape(x)] if data is None else data
        checks.append(Assert(condition, shown, summarize))

    with name_scope(name, "assert_shapes"):
        for given, wanted in pairs:
            x = convert_to_tensor(given)
            sizes = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
            is_open = bool(sizes) and sizes[0] in _ANY_BEFORE
            sizes = sizes[is_open:]
            told = f"{x.name} must have rank {len(sizes)}{' or more' if is_open else ''}"
            known = x.shape.rank
            if known is None:
                compare = greater_equal if is_open else equal
                check(compare(rank(x), len(sizes)), x, told)
            elif known < len(sizes) or (known > len(sizes) and not is_open):
                raise ValueError(f"{prefix}{told}, got shape {x.shape}")
            for back, size in enumerate(reversed(sizes), 1):
                if size is None:
                    continue
                axis = -back if known is None else known - back
                static = None if known is None else x.shape[axis].value
                actual = shape(x)[axis] if static is None else static
                place = f"size {axis} of {x.name}"
                first = _Size("", int(size)) if not isinstance(size, str) else seen.get(size)
                if first is None:
                    seen[size] = _Size(place, actual)
                    continue
                called = f"{size} = " if isinstance(size, str) else ""
                number = first.value if isinstance(first.value, int) else "what it is there"
                as_there = f", as {first.place} is" if first.place else ""
                told = f"{place} must be {called}{number}{as_there}"
                if isinstance(actual, int) and isinstance(first.value, int):
                    if actual != first.value:
                        raise ValueError(f"{prefix}{told}, got shape {x.shape}")
                else:
                    check(equal(actual, first.value), x, told)
        if not checks:
            return no_op(name="static_checks_determined_all_ok")
        return group(*checks)
