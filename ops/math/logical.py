"""Logical operators on bools."""

from __future__ import annotations

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ..common.elementwise import binary, unary

public = {
    "td, td.math": "logical_and logical_not logical_or logical_xor",
}


logical_and = binary(
    "logical_and",
    "LogicalAnd",
    np.logical_and,
    "bool",
    "Whether both `x` and `y` hold, element by element.",
    ("[True, False], True", "[ True False]"),
    result="z: bool",
)
logical_or = binary(
    "logical_or",
    "LogicalOr",
    np.logical_or,
    "bool",
    "Whether `x` or `y` or both hold, element by element.",
    ("[True, False], False", "[ True False]"),
    result="z: bool",
)
logical_not = unary(
    "logical_not",
    "LogicalNot",
    np.logical_not,
    "bool",
    "Whether `x` does not hold, element by element.",
    ("[True, False]", "[False  True]"),
    result="y: bool",
)


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Elementwise logical XOR.

    Args:
        x: a bool tensor.
        y: a bool tensor; the two are broadcast together.
        name: a name for the last op.

    Returns:
        A bool Tensor of the shape that the arguments broadcast to.

    Raises:
        TypeError: an argument is not bool.
        ValueError: the shapes do not broadcast together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.logical_xor([True, False], True)))
        [False  True]
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name)
