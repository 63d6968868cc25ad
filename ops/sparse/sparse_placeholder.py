"""Placeholders for sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.tensor_shape import TensorShape
from ..array.constants import constant
from ..array.placeholder import placeholder

public = {"td": "sparse_placeholder", "td.sparse": "placeholder=sparse_placeholder"}


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """Placeholder for a sparse tensor, fed at each run.

    Args:
        dtype: the dtype of the values.
        shape: the shape of the whole; where a size is not known, it is fed with the value.
        name: a name for the scope of the ops.

    Returns:
        A SparseTensor, to be fed a SparseTensorValue or a tuple (indices, values, dense_shape).

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.sparse_placeholder(td.float32, [3, 2])
        ...     total = td.reduce_sum(x.values)
        ...     session.run(total, {x: td.SparseTensorValue([[0, 1], [2, 0]], [5, 6], [3, 2])})
        np.float32(11.0)
    """
    with name_scope(name, "SparsePlaceholder"):
        rank: int | None
        if isinstance(shape, Tensor):
            rank, dense_shape = shape.shape.with_rank(1)[0].value, shape
        else:
            wanted = TensorShape(shape)
            rank = wanted.rank
            if wanted.is_fully_defined():
                dense_shape = constant(np.array(wanted.as_list(), np.int64), name="shape")
            else:
                dense_shape = placeholder("int64", [rank], name="shape")
        return SparseTensor(
            placeholder("int64", [None, rank], name="indices"),
            placeholder(dtype, [None], name="values"),
            dense_shape,
        )
