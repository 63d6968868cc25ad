"""Static type of values that convert to tensors: `td.TensorLike`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, Union

from ...shape_inference.dimension import Dimension
from ...shape_inference.symbolic.symbolic import DimExpr
from ...shape_inference.tensor_shape import TensorShape

public = {"td": "TensorLike"}


class Typed(Protocol):
    """Object with a dtype: tensors, variables, NumPy arrays and scalars."""

    @property
    def dtype(self) -> Any:
        """Element type."""


class Arrayed(Protocol):
    """Object that NumPy converts to an array, such as a pandas table."""

    def __array__(self, dtype: Any = None) -> Any:
        """Conversion to an array."""


TensorLike: TypeAlias = Union[
    Typed,
    Arrayed,
    complex,  # and so bool, int and float
    str,
    bytes,
    Dimension,
    DimExpr,
    TensorShape,
    "Sequence[TensorLike]",
]
"""A tensor, a variable, or a value that `td.convert_to_tensor` accepts."""
