"""When arithmetic of two arguments, one of which is constant, is a line: `x * factor + offset`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...runtime.kernel_spec import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...shape_inference.protocols import Array

    Arguments = Sequence[Array | None]


def line_of_sum(arguments: Arguments) -> Line | None:
    """`x + constant`, or the other way round."""
    x, y = arguments
    if y is not None:
        return Line(0, 1.0, y)
    return None if x is None else Line(1, 1.0, x)


def line_of_difference(arguments: Arguments) -> Line | None:
    """`x - constant`, or the other way round."""
    x, y = arguments
    if y is not None:
        return Line(0, 1.0, -y)
    return None if x is None else Line(1, -1.0, x)


def line_of_product(arguments: Arguments) -> Line | None:
    """`x * constant`, or the other way round."""
    x, y = arguments
    if y is not None:
        return Line(0, y, 0.0)
    return None if x is None else Line(1, x, 0.0)


def line_of_quotient(arguments: Arguments) -> Line | None:
    """`x / constant`."""
    _, y = arguments
    return None if y is None else Line(0, 1.0 / y.astype(float), 0.0)
