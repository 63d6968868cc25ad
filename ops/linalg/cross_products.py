"""Cross products of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime import errors
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.elementwise import REALS

public = {"td, td.linalg": "cross"}

CROSS = OpDef(
    "Cross", "a: T, b: T -> product: T", f"T: {{{REALS}}}", traits=Traits(splits="..._,..._->..._")
)


def _crossed(c: OpContext, a: TensorShape, b: TensorShape) -> TensorShape:
    shape = c.merged("a and b", (a, b))
    sizes: Any = shape.sizes
    if sizes is None:
        return shape
    if not sizes or equal(sizes[-1], 3) is False:
        raise ValueError(f"a and b must be vectors of 3 elements, got shape {shape}")
    return TensorShape.of((*sizes[:-1], 3))


@CROSS.shape
def _cross_shape(c: ShapeContext) -> TensorShape:
    return _crossed(c, c.shape("a"), c.shape("b"))


@CROSS.fresh_kernel
def _cross_kernel(c: KernelContext) -> Kernel:
    def cross(a: Array, b: Array) -> Array:
        if a.shape == b.shape and a.ndim and a.shape[-1] != 3:
            clause = f"a and b must be vectors of 3 elements, got shape {list(a.shape)}"
            raise errors.FailedPreconditionError(None, None, clause)  # as TensorFlow calls it
        _crossed(c, TensorShape.of(a.shape), TensorShape.of(b.shape))
        return np.cross(a, b)

    return cross


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross products of vectors of three elements.

    Args:
        a: a tensor of integers or floats, [..., 3].
        b: a tensor of the same dtype and shape.
        name: a name for the op.

    Returns:
        A Tensor of the same dtype and shape.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes differ, or the last size is not 3.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.cross([1, 0, 0], [0, 1, 0])))
        [0 0 1]
    """
    return CROSS(convert_to_tensor(a), b, name=name)
