"""Affine forms `x * factor + offset` of arithmetic with one constant argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...runtime.kernel_spec import Affine
from ...shape_inference.protocols import Array

if TYPE_CHECKING:
    Arguments = Sequence[Array | None]


def line_of_sum(arguments: Arguments) -> Affine | None:
    """`x + constant`, or the other way round."""
    x, y = arguments
    if y is not None:
        return Affine(0, 1.0, y)
    return None if x is None else Affine(1, 1.0, x)


def line_of_difference(arguments: Arguments) -> Affine | None:
    """`x - constant`, or the other way round."""
    x, y = arguments
    if y is not None:
        return Affine(0, 1.0, -y)
    return None if x is None else Affine(1, -1.0, x)


def line_of_product(arguments: Arguments) -> Affine | None:
    """`x * constant`, or the other way round."""
    x, y = arguments
    if y is not None:
        return Affine(0, y, 0.0)
    return None if x is None else Affine(1, x, 0.0)


def line_of_quotient(arguments: Arguments) -> Affine | None:
    """`x / constant`."""
    _, y = arguments
    return None if y is None else Affine(0, 1.0 / y.astype(float), 0.0)
