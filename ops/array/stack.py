"""Stacking along a new dimension, and unstacking: stack, unstack."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_n_to_tensor, convert_to_tensor, holds_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, normal_axis
from ...shape_inference.split_rules import following
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move, Stack
from ..common.call_forms import deprecated, older_form, string_at
from ..common.shared_docs import shared_docs
from .concat import PARALLEL_CONCAT, check_total
from .reshape import expand_dims

public = {"td": "pack parallel_stack stack unpack unstack"}

PACK = OpDef(
    "Pack", "values: N * T -> output: T", "N: int >= 1, T: type, axis: int32 = 0", traits=Stack()
)
PACK.split(following("values"))
UNPACK: OpDef[list[Tensor]] = OpDef(
    "Unpack",
    "value: T -> output: num * T",
    "num: int >= 0, T: type, axis: int32 = 0",
    traits=Move(views=True),
)
UNPACK.split(following("value"))


@PACK.shape
def _pack_shape(c: ShapeContext) -> TensorShape:
    sizes = c.common_shape("values").sizes
    if sizes is None:
        return UNKNOWN_SHAPE
    k = normal_axis(c.attr("axis"), len(sizes) + 1)
    return TensorShape.of((*sizes[:k], c.attr("N"), *sizes[k:]))


@PACK.fresh_kernel
def _pack_kernel(c: KernelContext) -> Kernel:
    axis, number = c.attr("axis"), c.attr("N")
    dtype = np.dtype(object) if c.symbolic else c.output_dtype.numpy_dtype

    def pack(*values: Array) -> Array:
        shape = values[0].shape
        k = normal_axis(axis, len(shape) + 1)
        check_total(values)
        result = np.empty((*shape[:k], number, *shape[k:]), dtype)
        before: tuple[Any, ...] = (slice(None),) * k
        for i, value in enumerate(values):
            if value.shape != shape:
                raise ValueError(
                    f"values must have equal shapes, got {list(shape)} and {list(value.shape)}"
                )
            result[(*before, i, ...)] = value
        return result

    return pack


_stacking = shared_docs(
    {
        "values": "a list of tensors of one dtype and shape, of rank R.",
        "axis": "where the new dimension stands, in [-(R+1), R+1).",
        "name": "a name for the op.",
    },
    returns="A Tensor of rank R+1.",
    raises="ValueError: `axis` is out of range, or the shapes differ.",
)


@_stacking
def stack(values: TensorLike, axis: int = 0, name: str = "stack") -> Tensor:
    """Joins tensors of one shape along a new dimension, as `np.stack`.

    As in TensorFlow, numbers along the first dimension become one constant, of the dtype that holds
    them all, and rows in which tensors stand beside numbers take the dtype of the tensors;
    elsewhere each value becomes a tensor of its own.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.stack([[1, 4], [2, 5], [3, 6]], axis=1)))
        [[1 2 3]
         [4 5 6]]
    """
    if axis == 0 and _is_one_value(values):
        with suppress(TypeError, ValueError):  # PACK reports the error
            return convert_to_tensor(values, name=name)
    values = list(values) if isinstance(values, np.ndarray) else values
    return PACK(values, axis=axis, name=name)


def _is_one_value(values: Any) -> bool:
    """True for numbers, or for rows whose tensors determine the dtype of all."""
    if not isinstance(values, (list, tuple, np.ndarray)):
        return False
    return not holds_tensor(values) or any(isinstance(item, (list, tuple)) for item in values)


@_stacking
@deprecated("td.stack(values, axis)")
@older_form("values, name", is_older=string_at(1))
def pack(values: TensorLike, axis: int = 0, name: str = "pack") -> Tensor:
    """Joins tensors along a new dimension: the older name of `stack`.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), warnings.catch_warnings(action="ignore"):
        ...     td.pack([1, 2]).shape.as_list()
        [2]
    """
    return stack(values, axis, name)


@UNPACK.shape
def _unpack_shape(c: ShapeContext) -> list[TensorShape]:
    num, sizes = c.attr("num"), c.sizes("value")
    if sizes is None:
        return [UNKNOWN_SHAPE] * num
    k = _unpacked_axis(sizes, c.attr("axis"), num)
    c.same_size(f"dimension {k} of value and num", sizes[k], num)
    return [TensorShape.of((*sizes[:k], *sizes[k + 1 :]))] * num


def _unpacked_axis(sizes: Sequence[Any], axis: int, num: int) -> int:
    k = normal_axis(axis, len(sizes))
    if isinstance(sizes[k], int) and sizes[k] != num:
        raise ValueError(f"num = {num} is not the size {sizes[k]} of dimension {k}")
    return k


@UNPACK.view_kernel
def _unpack_kernel(c: KernelContext) -> Kernel:
    axis, num = c.attr("axis"), c.attr("num")

    def unpack(value: Array) -> tuple[Array, ...] | Array:
        k = _unpacked_axis(value.shape, axis, num)
        if value.ndim == 1:  # iteration would give NumPy scalars
            parts = tuple([value[i, ...] for i in range(num)])
        else:
            parts = tuple(
                value.transpose(k, *[i for i in range(value.ndim) if i != k]) if k else value
            )
        return parts[0] if num == 1 else parts

    return unpack


_unstacking = shared_docs(
    {
        "value": "a tensor of rank R >= 1.",
        "num": "the size of dimension `axis`; by default what is known of it.",
        "axis": "the dimension, in [-R, R).",
        "name": "a name for the op.",
    },
    returns="A list of `num` Tensors of rank R-1.",
    raises=("ValueError: `num` is neither given nor known, or `axis` is out of range."),
)


@_unstacking
def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """Splits a tensor along one dimension, which is dropped from the parts.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.unstack([[1, 2], [3, 4]], axis=1))
        [array([1, 3], dtype=int32), array([2, 4], dtype=int32)]
    """
    value = convert_to_tensor(value)
    if num is None:
        sizes: Any = value.shape.sizes
        num = None if sizes is None else sizes[normal_axis(axis, len(sizes))]
        if not isinstance(num, int):
            raise ValueError(f"num must be given, as the shape {value.shape} does not determine it")
    return UNPACK(value, num=num, axis=axis, name=name)


@_unstacking
@deprecated("td.unstack(value, num, axis)")
@older_form("value, num, name", is_older=string_at(2))
def unpack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unpack"
) -> list[Tensor]:
    """Splits a tensor along one dimension: the older name of `unstack`.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), warnings.catch_warnings(action="ignore"):
        ...     len(td.unpack([[1, 2], [3, 4], [5, 6]]))
        3
    """
    return unstack(value, num, axis, name)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Joins tensors of one known shape along a new first dimension.

    It gives what `stack` gives; TensorFlow may copy each value as soon as it is there.

    Args:
        values: a list of tensors of one dtype and shape, which must be known.
        name: a name for the op.

    Returns:
        A Tensor of a rank higher by 1.

    Raises:
        ValueError: the shapes are not known, or differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.parallel_stack([[1, 4], [2, 5]])))
        [[1 4]
         [2 5]]
    """
    with name_scope(name, "parallel_stack", values):
        tensors = convert_n_to_tensor(values)
        if not tensors:
            raise ValueError("values must hold at least one tensor, got none")
        shape = [len(tensors), *tensors[0].shape] if tensors[0].shape.rank is not None else None
        rows = [expand_dims(tensor, 0) for tensor in tensors]
        return PARALLEL_CONCAT(rows, shape=TensorShape(shape))
