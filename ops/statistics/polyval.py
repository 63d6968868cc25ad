"""Polynomials with tensors for coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.constants import zeros_like

public = {"td.math": "polyval"}


def polyval(coeffs: Sequence[Any], x: TensorLike, name: str | None = None) -> Tensor:
    """The value of a polynomial, by Horner's rule.

    Args:
        coeffs: a list of its coefficients, that of the highest power first.
        x: where to take it, a tensor of numbers of the dtype of the coefficients.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape that `x` and the coefficients broadcast to; zeros where there are no
        coefficients.

    Raises:
        ValueError: `coeffs` is not a list.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.math.polyval([2, 0, 1], [1, 2, 3])))
        [ 3  9 19]
    """
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"coeffs must be a list, got {coeffs!r}")
    with name_scope(name, "polyval", [*coeffs, x]):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x)
        first, *others = [
            convert_to_tensor(item, x.dtype.base_dtype, name=f"coeff_{i}")
            for i, item in enumerate(coeffs)
        ]
        result = first
        for coefficient in others:
            result = coefficient + result * x
        return result
