"""Sums and products along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...protos.dtypes import DType
from ...shape_inference.protocols import Array
from ..common.folded_products import folded

if TYPE_CHECKING:
    Reduce = Callable[[Array, tuple[int, ...], bool], Any]

_MANY = 16
_FEW_ROWS = 256


def accumulating(ufunc: np.ufunc) -> Callable[[DType], Reduce]:
    """A sum or product: integers wrap around, small floats are accumulated in a wider dtype."""

    def reduction(dtype: DType) -> Reduce:
        own = dtype.numpy_dtype
        if dtype.is_floating and dtype.size == 2:

            def reduce_small(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Any:
                return ufunc.reduce(x.astype(np.float32), axes, keepdims=keep_dims).astype(own)

            return reduce_small

        def reduce(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Any:
            # NumPy adds in pairs along the last axes only; elsewhere one by one, as TensorFlow
            # does where they are few: there the rounding is the same.
            one_by_one = axes != tuple(range(x.ndim - len(axes), x.ndim))
            if own == np.float32 and one_by_one and count_along(x, axes) >= _MANY:
                x = _without_rows(ufunc, x, axes)
                return ufunc.reduce(x, axes, np.float64, keepdims=keep_dims).astype(own)
            if ufunc is np.multiply and axes and not one_by_one:
                result = np.asarray(np.multiply.reduce(folded(x, len(axes)), -1, own))
                return result.reshape(*result.shape, *[1] * len(axes)) if keep_dims else result
            return ufunc.reduce(x, axes, own, keepdims=keep_dims)

        return reduce

    return reduction


def _without_rows(ufunc: np.ufunc, x: Array, axes: tuple[int, ...]) -> Array:
    """`x` with the first of some axes reduced to 1, where the others follow it.

    A few long rows are combined in twenty times less time than many short ones are in float64, and
    a sum of few terms loses little.
    """
    lead, *others = axes
    follow = others == list(range(lead + 1, lead + len(axes)))
    quick = follow and x.flags.c_contiguous and x.shape[lead] <= _FEW_ROWS
    if not (others and quick and x.size):
        return x
    rows: Array = ufunc.reduce(x.reshape(*x.shape[: lead + 1], -1), lead)
    return rows.reshape(*x.shape[:lead], 1, *x.shape[lead + 1 :])


def count_along(x: Array, axes: tuple[int, ...]) -> int:
    """Number of elements that are combined into one."""
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count
