"""Tensors of one value throughout: zeros, ones, fill."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import DType, as_dtype, float32
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.split_rules import made_of_sizes
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import check_size, new_array, new_zeros
from .constants import constant
from .reshaping import reshape
from .shapes import shape as shape_of

public = {"td": "fill ones ones_like zeros zeros_like"}

FILL = OpDef(
    "Fill",
    "dims: index_type, value: T -> output: T",
    "T: type, index_type: {int32, int64} = int32",
    traits=Move(repeats="value"),
)
FILL.split(made_of_sizes)
ZEROS_LIKE = OpDef(
    "ZerosLike", "x: T -> y: T", "T: type", traits=Move(splits="...->...", zeros=True)
)
ONES_LIKE = OpDef(
    "OnesLike",
    "x: T -> y: T",
    "T: {bfloat16, half, float32, float64, int8, uint8, int16, uint16, int32, uint32, int64, "
    "uint64, complex64, complex128, bool}",
    traits=Move(splits="...->..."),
)


# What has fewer elements stands in the graph, as in TensorFlow; the others are made in the run.
_MOST_IN_GRAPHS = 1000


@FILL.shape
def _fill_shape(c: ShapeContext) -> TensorShape:
    c.shape("dims", rank=1)
    c.shape("value", rank=0)
    return shape_from_value(c, "dims")


@FILL.fresh_kernel
def _fill_kernel(c: KernelContext) -> Kernel:
    dtype = np.dtype(object) if c.symbolic else c.output_dtype.numpy_dtype
    const = c.const("value")
    is_zero = dtype.kind != "O" and const is not None and not const.any()
    new = new_zeros if is_zero else new_array

    def fill(dims: Array, value: Array) -> Array:
        if dims.ndim > 1:
            raise ValueError(f"dims must be a vector, got shape {list(dims.shape)}")
        if value.ndim > 1 or value.size != 1:
            raise ValueError(f"value must be a scalar, got shape {list(value.shape)}")
        result = new(dims.reshape(-1).tolist(), dtype)
        if not is_zero:
            result[...] = value.reshape(())
        return result

    return fill


@ZEROS_LIKE.shape
@ONES_LIKE.shape
def _like_shape(c: ShapeContext) -> TensorShape:
    return c.shape("x")


@ZEROS_LIKE.fresh_kernel
def _zeros_like_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def zeros_like(x: Array) -> Array:
        return new_zeros(x.shape, dtype)

    def zeros_behind(handle: Array) -> Array:
        return handle.item().zeros_like().handle

    return zeros_behind if c.output_dtype.name == "variant" else zeros_like


@ONES_LIKE.fresh_kernel
def _ones_like_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def ones_like(x: Array) -> Array:
        return np.ones(check_size(x.shape, dtype), dtype)

    return ones_like


def fill(dims: Any, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of one value throughout; NumPy's `full`.

    Args:
        dims: the shape: a vector of int32 or int64.
        value: a scalar of any dtype.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `value`.

    Raises:
        ValueError: a size is negative, `dims` is no vector, or `value` is no scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.fill([2, 3], 9)))
        [[9 9 9]
         [9 9 9]]
    """
    return FILL(dims, value, name=name)


def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros: False for bool, empty strings for string.

    Args:
        shape: a shape, a list of ints and scalar tensors, an integer vector, or a single size.
        dtype: the dtype of the result.
        name: a name for the op.

    Returns:
        A Tensor.

    Raises:
        ValueError: a size is negative, or not known.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, ["batch", 3])
        ...     print(td.zeros([td.shape(x)[0], 5]).shape)
        (batch, 5)
    """
    return _filled("zeros", shape, 0, as_dtype(dtype).base_dtype, name)


def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of ones: True for bool.

    Args:
        shape: a shape, a list of ints and scalar tensors, an integer vector, or a single size.
        dtype: the dtype of the result, not string.
        name: a name for the op.

    Returns:
        A Tensor.

    Raises:
        TypeError: the dtype is string.
        ValueError: a size is negative, or not known.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.ones([2, 3], td.int32)))
        [[1 1 1]
         [1 1 1]]
    """
    return _filled("ones", shape, 1, as_dtype(dtype).base_dtype, name)


def _filled(function: str, shape: Any, value: int, dtype: DType, name: str | None) -> Tensor:
    if dtype.name == "string" and value:
        raise TypeError("ones cannot be of dtype string")
    item: Any = b"" if dtype.name == "string" else np.array(value).astype(dtype.numpy_dtype)
    sizes = _known(shape)
    with name_scope(name, function) as scope:
        if sizes is not None and math.prod(sizes) < _MOST_IN_GRAPHS:
            array = np.full(sizes, item, object if dtype.name == "string" else None)
            return constant(array, dtype, name=scope)
        return FILL(_dims(shape), constant(item, dtype), name=scope)


def _known(shape: Any) -> tuple[int, ...] | None:
    """The sizes of a shape that is known as a whole, and not as a tensor."""
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    several = isinstance(shape, (list, tuple))
    if isinstance(shape, Tensor) or (several and any(isinstance(n, Tensor) for n in shape)):
        return None
    sizes = TensorShape(shape).sizes
    if sizes is None or not all(isinstance(size, int) and size >= 0 for size in sizes):
        return None
    return sizes  # type: ignore[return-value]


def _dims(shape: Any) -> Any:
    """`shape` as a vector: tensors as they are, all else by the rules of TensorShape."""
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    if isinstance(shape, (list, tuple)) and any(isinstance(n, Tensor) for n in shape):
        return shape
    if not isinstance(shape, Tensor):
        return convert_to_tensor(TensorShape(shape), name="shape_as_tensor")
    return reshape(shape, [-1]) if shape.shape.rank == 0 else shape


def zeros_like(
    tensor: TensorLike, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """A tensor of zeros in the shape of another.

    Args:
        tensor: the other tensor, of any dtype.
        dtype: the dtype of the result; by default that of `tensor`.
        name: a name for the op.
        optimize: accepted for TensorFlow's sake: what is known of shapes is always used.

    Returns:
        A Tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.zeros_like([[1, 2, 3], [4, 5, 6]])))
        [[0 0 0]
         [0 0 0]]
    """
    return _like("zeros_like", ZEROS_LIKE, tensor, 0, dtype, name)


def ones_like(
    tensor: TensorLike, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """A tensor of ones in the shape of another.

    Args:
        tensor: the other tensor, of any dtype but string.
        dtype: the dtype of the result; by default that of `tensor`.
        name: a name for the op.
        optimize: accepted for TensorFlow's sake: what is known of shapes is always used.

    Returns:
        A Tensor.

    Raises:
        TypeError: the dtype of the result is string.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.ones_like([[1, 2, 3], [4, 5, 6]], td.bool)))
        [[ True  True  True]
         [ True  True  True]]
    """
    return _like("ones_like", ONES_LIKE, tensor, 1, dtype, name)


def _like(
    function: str, definition: OpDef, tensor: Any, value: int, dtype: Any, name: str | None
) -> Tensor:
    with name_scope(name, function, [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        own = tensor.dtype.base_dtype
        wanted = own if dtype is None else as_dtype(dtype).base_dtype
        if wanted is own and not (value and own.is_quantized):
            return definition(tensor, name=scope)
        return _filled(function, shape_of(tensor), value, wanted, scope)
