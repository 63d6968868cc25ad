"""Differences of lists: setdiff1d, listdiff."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.op_def import OpDef
from ...protos.dtypes import int32
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..common.shared_docs import shared_docs
from .unique import _ATTRS, _FEW, _groups, _index_dtype, _table

public = {"td": "listdiff setdiff1d"}
LIST_DIFF = OpDef("ListDiff", "x: T, y: T -> out: T, idx: out_idx", _ATTRS)


@LIST_DIFF.shape
def _list_diff_shape(c: ShapeContext) -> list[TensorShape]:
    x = c.shape("x", rank=1).sizes
    c.shape("y", rank=1)
    length = x[0] if x is not None else None
    left = TensorShape.of((dim_symbol(upper=length if isinstance(length, int) else None),))
    return [left, left]


@LIST_DIFF.view_kernel
def _list_diff_kernel(c: KernelContext) -> Kernel:
    dtype = _index_dtype(c)

    def list_diff(x: Array, y: Array) -> tuple[Array, Array]:
        for name, value in (("x", x), ("y", y)):
            if value.ndim != 1:
                raise ValueError(f"{name} must have rank 1, got shape {list(value.shape)}")
        kept = np.flatnonzero(~_is_in(x, y))
        return x[kept], kept.astype(dtype, copy=False)

    return list_diff


_MOST_SEARCHED = 1 << 12


def _is_in(x: Array, y: Array) -> Array:
    """Mask of the elements of `x` that are in `y`; a NaN never is."""
    if x.dtype == object or len(x) + len(y) <= _FEW:
        elements_of_y = set(y.tolist())
        return np.array([item in elements_of_y for item in x.tolist()], bool)
    table = _table([x, y])
    if table is not None:
        (of_x, of_y), size = table
        present: Array = np.zeros(size, bool)
        present[of_y] = True
        return present[of_x]
    if len(y) <= _MOST_SEARCHED:
        if not y.size:
            return np.zeros(len(x), bool)
        ordered = np.sort(y)
        places = np.searchsorted(ordered, x).clip(max=len(y) - 1)
        return np.asarray(ordered[places] == x)
    both = np.concatenate((y, x))
    order, starts = _groups(both)
    in_y = np.minimum.reduceat(order, starts) < len(y)
    mask = np.empty(len(both), bool)
    mask[order] = np.repeat(in_y, np.diff(starts, append=len(both)))
    return mask[len(y) :]


_documented = shared_docs(
    {
        "x": "a vector of any dtype.",
        "y": "a vector of the same dtype.",
        "name": "a name for the op.",
    },
    returns=("A namedtuple `(out, idx)` of Tensors: the elements, and their positions in `x`."),
    raises="ValueError: `x` or `y` is not a vector.",
)


@_documented
def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: Any = int32, name: str | None = None
) -> Any:
    """The elements of `x` that are not in `y`, in order, with repetitions.

    NumPy's `setdiff1d` sorts them and drops repetitions. A NaN is in no list.

    Args:
        index_dtype: the dtype of the indices: int32 or int64.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     out, idx = session.run(td.setdiff1d([1, 2, 3, 4, 5, 6], [1, 3, 5]))
        >>> print(out, idx)
        [2 4 6] [1 3 5]
    """
    return LIST_DIFF(x, y, out_idx=index_dtype, name=name)


@_documented
def listdiff(x: TensorLike, y: TensorLike, out_idx: Any = None, name: str | None = None) -> Any:
    """`setdiff1d` by its older name.

    Args:
        out_idx: the dtype of the indices: int32, the default, or int64.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.listdiff(["a", "b", "c"], ["b"]).out))
        [b'a' b'c']
    """
    return LIST_DIFF(x, y, out_idx=out_idx, name=name)
