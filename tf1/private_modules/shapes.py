"""`tensorflow.python.framework.tensor_shape`."""

from __future__ import annotations

from ...shape_inference.dimension import dimension_value
from ...shape_inference.tensor_shape import (
    Dimension,
    TensorShape,
    as_dimension,
    as_shape,
    matrix,
    scalar,
    unknown_shape,
    vector,
)

__all__ = [
    "Dimension",
    "TensorShape",
    "as_dimension",
    "as_shape",
    "dimension_value",
    "matrix",
    "scalar",
    "unknown_shape",
    "vector",
]


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """One dimension of a shape; an unknown one of an unknown shape."""
    return shape[index] if shape.rank is not None else Dimension(None)
