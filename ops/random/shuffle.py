"""Random permutations of rows: random_shuffle, stateless_shuffle."""

from __future__ import annotations

from math import isqrt
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
from ...shape_inference.traits import STATEFUL
from .philox import GROUP, Philox
from .random_state import PHILOX, seed_attrs, stream_of, stream_of_key
from .stateless import GET_KEY_COUNTER
from .uniform_and_normal import _SEEDS

public = {
    "td": "random_shuffle",
    "td.random": "shuffle=random_shuffle",
    "td.random.experimental": "stateless_shuffle",
}
_BY_BLOCKS = 4096  # up from here, a shuffle exchanges blocks of places
RANDOM_SHUFFLE = OpDef(
    "RandomShuffle", "value: T -> output: T", f"{_SEEDS}, T: type", traits=STATEFUL
)


@RANDOM_SHUFFLE.shape
def _random_shuffle_shape(c: ShapeContext) -> TensorShape:
    return c.shape("value")


@RANDOM_SHUFFLE.kernel
def _random_shuffle_kernel(c: KernelContext) -> Kernel:
    stream = stream_of(c)

    def random_shuffle(value: Array) -> Array:
        if value.size <= 1 or len(value) <= 1:
            return value
        return value[permutation(stream, len(value))]

    return view(random_shuffle)


def permutation(stream: Philox, size: int) -> Array:
    """Fisher–Yates shuffle: each position in turn is swapped with one that is not before it.

    Args:
        stream: where the words come from.
        size: how many places.

    Returns:
        The places in their new order.
    """
    groups = -(-(size - 1) // GROUP)
    words = stream.reserve(groups).words(groups).reshape(-1)[: size - 1]
    others = np.arange(size - 1) + words % np.arange(size, 1, -1, dtype=np.uint32)
    order, place = np.arange(size), 0
    while size - place > _BY_BLOCKS:
        # Few positions rarely collide; swaps that do not are done together.
        end = place + isqrt(size - place) // 4
        reached = others[place:end]
        if reached.min() >= end and len(np.unique(reached)) == end - place:
            order[place:end], order[reached] = order[reached], order[place:end].copy()
        else:
            _exchange(order, place, reached)
        place = end
    rest, left = order[place:].tolist(), others[place:] - place
    _exchange(rest, 0, left)
    order[place:] = rest
    return order


def _exchange(order: Any, place: int, others: Array) -> None:
    """Swaps positions from `place` on with others, one by one."""
    for here, other in enumerate(others.tolist(), place):
        order[here], order[other] = order[other], order[here]


def random_shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in random order.

    Args:
        value: a tensor of any dtype, shuffled along its first dimension.
        seed: a seed, for the same order in each session; see also `td.set_random_seed`.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `value`, in another order at every run.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     sorted(session.run(td.random_shuffle([1, 2, 3])).tolist())
        [1, 2, 3]
    """
    return RANDOM_SHUFFLE(value, name=name, **seed_attrs(seed))


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
    """The rows of a tensor in random order, determined by a seed as in TensorFlow.

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
        key_and_counter: Any = GET_KEY_COUNTER(seed)
        return STATELESS_SHUFFLE(tensor, *key_and_counter, np.int32(PHILOX), name=scope)
