"""What ops take in the place of a tensor, as type checkers see it: `td.TensorLike`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, Union

from ...shape_inference.dimension import Dimension
from ...shape_inference.symbolic.symbolic import DimExpr
from ...shape_inference.tensor_shape import TensorShape

public = {"td": "TensorLike"}


class Typed(Protocol):
    """What has a dtype: tensors, variables, arrays and scalars of NumPy."""

    @property
    def dtype(self) -> Any:
        """What its elements are."""


class Arrayed(Protocol):
    """What NumPy can make an array of, such as a table of pandas."""

    def __array__(self, dtype: Any = None) -> Any:
        """The array."""


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
"""A tensor, a variable, or what `td.convert_to_tensor` makes a tensor of."""
