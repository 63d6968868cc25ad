"""Shapes as tensors: shape, shape_n, size, rank; and ensure_shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor, SparseTensorValue
from ...protos.dtypes import as_dtype, int32
from ...runtime.kernel_spec import KernelSpec
from ...shape_inference.context import KernelContext, ShapeContext, settled
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.symbolic.symbolic import Dim, product
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.call_forms import name_at, older_form
from ..math.reductions import reduce_prod
from .cast import cast

public = {"td": "ensure_shape rank shape shape_n size"}


ENSURE_SHAPE = OpDef(
    "EnsureShape",
    "input: T -> output: T",
    "shape: shape, T: type",
    traits=Move(views=True, splits="...->..."),
)


@ENSURE_SHAPE.shape
def _ensure_shape_shape(c: ShapeContext) -> TensorShape:
    shape, wanted = c.shape("input"), c.attr("shape")
    _check_ensured(shape, wanted)
    return c.merged("input and shape", [shape, wanted])


def _check_ensured(shape: TensorShape, wanted: TensorShape) -> None:
    if not shape.is_compatible_with(wanted):
        raise ValueError(f"input has shape {shape}, which does not fit shape = {wanted}")


@ENSURE_SHAPE.view_kernel
def _ensure_shape_kernel(c: KernelContext) -> Kernel:
    wanted = c.attr("shape")

    def ensure_shape(x: Array) -> Array:
        _check_ensured(TensorShape.of(x.shape), wanted)
        return x

    return ensure_shape


def ensure_shape(x: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """The tensor `x`, whose shape is checked at every run and known to be so before.

    Args:
        x: a tensor of any dtype.
        shape: the shape that it has; any part may be unknown.
        name: a name for the op.

    Returns:
        A Tensor. Evaluating it is an InvalidArgumentError if `x` does not have that shape.

    Raises:
        ValueError: the shape is known to be another.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32)
        ...     print(td.ensure_shape(x, [None, 3]).shape)
        (?, 3)
    """
    return ENSURE_SHAPE(x, shape=TensorShape(shape), name=name)


SHAPE = OpDef("Shape", "input: T -> output: out_type", "T: type, out_type: {int32, int64} = int32")
SHAPE_N: OpDef[list[Tensor]] = OpDef(
    "ShapeN",
    "input: N * T -> output: N * out_type",
    "N: int >= 1, T: type, out_type: {int32, int64} = int32",
)
SIZE = OpDef("Size", "input: T -> output: out_type", "T: type, out_type: {int32, int64} = int32")
RANK = OpDef("Rank", "input: T -> output: int32", "T: type")


@SHAPE.shape
def _shape_shape(c: ShapeContext) -> TensorShape:
    return TensorShape.of((c.shape("input").rank,))


@SHAPE_N.shape
def _shape_n_shape(c: ShapeContext) -> list[TensorShape]:
    return [TensorShape.of((shape.rank,)) for shape in c.shapes("input")]


@SIZE.shape
@RANK.shape
def _scalar_shape(c: ShapeContext) -> TensorShape:
    return SCALAR


@SHAPE.value
def _shape_value(c: ShapeContext) -> list[Array | None]:
    return [_known_sizes(_input_shape(c))]


@SHAPE_N.value
def _shape_n_value(c: ShapeContext) -> list[Array | None]:
    return list(map(_known_sizes, map(_clearer, c.shapes("input"), c.values("input"))))


@SIZE.value
def _size_value(c: ShapeContext) -> list[Array | None]:
    sizes = settled(_input_shape(c))
    return [None if sizes is None else _objects(product(sizes))]


@RANK.value
def _rank_value(c: ShapeContext) -> list[Array | None]:
    rank = _input_shape(c).rank
    return [None if rank is None else np.array(rank, np.int32)]


def _input_shape(c: ShapeContext) -> TensorShape:
    shape = c.shape("input")
    return shape if shape.is_fully_defined() else _clearer(shape, c.value("input"))


def _clearer(shape: TensorShape, value: Array | None) -> TensorShape:
    """The shape of a value that is known, as where an op picks elements out of constants."""
    return shape if value is None else TensorShape(value.shape)


def _known_sizes(shape: TensorShape) -> Array | None:
    return None if shape.sizes is None else _objects(list(shape.sizes))  # type: ignore[arg-type]


def _objects(value: Dim | list[Dim]) -> Array:
    """An array of sizes that may be expressions."""
    array: Array = np.empty(len(value) if isinstance(value, list) else (), object)
    array[...] = value
    return array


@SHAPE.kernel
def _shape_kernel(c: KernelContext) -> Kernel:
    kernel = _shape_of(c.shape("input"), c.output_dtype.numpy_dtype)
    return KernelSpec(kernel, shape_alone=(0,))


@SHAPE_N.kernel
def _shape_n_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    shapes_of = [_shape_of(shape, dtype) for shape in c.shapes("input")]

    def shape_n(*inputs: Array) -> tuple[Array, ...]:
        return tuple([shape_of(x) for shape_of, x in zip(shapes_of, inputs, strict=True)])

    return shape_n if len(shapes_of) > 1 else shapes_of[0]


def _shape_of(static: TensorShape, dtype: np.dtype[Any]) -> Kernel:
    """Kernel that returns the shape of an array whose static shape is `static`."""

    def shape_of(x: Array) -> Array:
        return _sizes_array(x.shape, dtype)

    if not static.is_fully_defined():
        return shape_of
    constant = _sizes_array(static.as_list(), dtype)

    def known_shape(x: Array) -> Array:
        return constant

    return known_shape


@SIZE.view_kernel
def _size_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    highest = np.iinfo(dtype).max

    def size_of(x: Array) -> Array:
        size = math.prod(x.shape)
        if size > highest:
            raise ValueError(f"input has {size} elements, a number that {dtype} does not hold")
        return np.array(size, dtype)

    return size_of


@RANK.view_kernel
def _rank_kernel(c: KernelContext) -> Kernel:

    def rank_of(x: Array) -> Array:
        return np.array(x.ndim, np.int32)

    return rank_of


def _sizes_array(sizes: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    try:
        array = np.array(sizes, dtype)
    except OverflowError:
        axis = next(i for i, n in enumerate(sizes) if n > np.iinfo(dtype).max)
        raise ValueError(
            f"dimension {axis} of input has size {sizes[axis]}, which {dtype} does not hold"
        ) from None
    array.flags.writeable = False
    return array


def shape(input: TensorLike, name: str | None = None, out_type: Any = int32) -> Tensor:
    """The shape of a tensor, as a tensor.

    What is known of the shape before a run is known of the result, symbols included.

    Args:
        input: a tensor or SparseTensor of any dtype.
        name: a name for the op.
        out_type: int32 or int64.

    Returns:
        A Tensor of shape [rank of input]. Evaluating it is an InvalidArgumentError if a size is
        too large for `out_type`.

    Raises:
        ValueError: `out_type` is another dtype.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, ["batch", 3])
        ...     print(td.constant_value_as_shape(td.shape(x)))
        ...     print(td.zeros(td.shape(x)[0] * 2).shape)
        (batch, 3)
        (2*batch,)
    """
    if isinstance(input, (SparseTensor, SparseTensorValue)):
        return _dense_shape(input, out_type, name)
    return SHAPE(input, out_type=out_type, name=name)


@older_form("input, name", is_older=name_at(1))
def shape_n(input: TensorLike, out_type: Any = None, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    Args:
        input: a list of at least one tensor, all of one dtype.
        out_type: int32 or int64; by default int32.
        name: a name for the op.

    Returns:
        A list of as many Tensors, each of shape [rank].

    Raises:
        TypeError: the tensors differ in dtype.
        ValueError: the list is empty, or `out_type` is another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.shape_n([[1, 2], [[3], [4]]]))
        [array([2], dtype=int32), array([2, 1], dtype=int32)]
    """
    return SHAPE_N(input, out_type=out_type, name=name)


def size(input: TensorLike, name: str | None = None, out_type: Any = int32) -> Tensor:
    """The number of elements of a tensor.

    Args:
        input: a tensor or SparseTensor of any dtype; of the latter all elements count, also those
            that are not stored.
        name: a name for the op.
        out_type: int32 or int64.

    Returns:
        A Tensor of shape []. Evaluating it is an InvalidArgumentError if the number is too large
        for `out_type`.

    Raises:
        ValueError: `out_type` is another dtype.

    Example:
        >>> with td.Graph().as_default():
        ...     print(td.constant_value(td.size([[1, 2, 3], [4, 5, 6]])))
        6
    """
    if isinstance(input, (SparseTensor, SparseTensorValue)):
        return reduce_prod(_dense_shape(input, out_type, None), 0, name=name)
    return SIZE(input, out_type=out_type, name=name)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of axes of a tensor; NumPy's `ndim`.

    Args:
        input: a tensor or SparseTensor of any dtype.
        name: a name for the op.

    Returns:
        A Tensor of dtype int32 and shape [].

    Example:
        >>> with td.Graph().as_default():
        ...     print(td.constant_value(td.rank([[1, 2, 3], [4, 5, 6]])))
        2
    """
    if isinstance(input, (SparseTensor, SparseTensorValue)):
        return size(_sparse(input).dense_shape, name)
    return RANK(input, name=name)


def _dense_shape(
    input: SparseTensor | SparseTensorValue, out_type: Any, name: str | None
) -> Tensor:
    dtype = as_dtype(out_type)
    if dtype.name not in ("int32", "int64"):
        raise ValueError(f"out_type must be int32 or int64, got {dtype.name}")
    return cast(_sparse(input).dense_shape, dtype, name)


def _sparse(input: SparseTensor | SparseTensorValue) -> SparseTensor:
    return input if isinstance(input, SparseTensor) else SparseTensor.from_value(input)
