"""Rows in an order that follows from a seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import view
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from .random_state import PHILOX, stream_of_key
from .stateless import GET_KEY_COUNTER
from .uniform_and_normal import permutation

public = {"td.random.experimental": "stateless_shuffle"}

STATELESS_SHUFFLE = OpDef(
    "StatelessShuffle",
    "value: T, key: uint64, counter: uint64, alg: int32 -> output: T",
    "T: type",
)


@STATELESS_SHUFFLE.shape
def _shuffle_shape(c: ShapeContext) -> TensorShape:
    c.shape("key", rank=1)
    c.shape("counter", rank=1)
    c.shape("alg", rank=0)
    return c.shape("value")


@STATELESS_SHUFFLE.kernel
def _shuffle_kernel(c: KernelContext) -> Kernel:

    def shuffled(value: Array, key: Array, counter: Array, alg: Array) -> Array:
        stream = stream_of_key(key, counter, alg)
        return value[permutation(stream, len(value))] if value.ndim and value.size else value

    return view(shuffled)


def stateless_shuffle(value: TensorLike, seed: Any, name: str | None = None) -> Tensor:
    """The rows of a tensor in an order that follows from a seed: TensorFlow's order.

    Args:
        value: a tensor of any dtype; a scalar stays.
        seed: two integers of int32 or int64: the same ones give the same order.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape and dtype of `value`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.random.experimental.stateless_shuffle([[1, 2], [3, 4], [5, 6]], [8, 9])
        ...     print(session.run(rows).tolist())
        [[5, 6], [1, 2], [3, 4]]
    """
    with name_scope(name, "stateless_shuffle", [value, seed]) as scope:
        tensor = convert_to_tensor(value, name="value")
        made: Any = GET_KEY_COUNTER(seed)
        return STATELESS_SHUFFLE(tensor, *made, np.int32(PHILOX), name=scope)
