"""Tensors that come from nowhere: constants and placeholders; and identity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import make_constant
from ...graph.default_graph import get_default_graph
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.constant_array import constant_array
from ...runtime.passthrough import passthrough
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.size_facts import positive_shape
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Constant, Input, Move, Traits
from ..common.allocation import check_size

public = {"td": "constant identity identity_n placeholder placeholder_with_default stop_gradient"}

CONST = OpDef("Const", "-> output: dtype", "value: tensor, dtype: type", traits=Constant())


@CONST.shape
def _const_shape(c: ShapeContext) -> TensorShape:
    return TensorShape.of(c.attr("value").shape)


@CONST.kernel
def _const_kernel(c: KernelContext) -> Kernel:
    value, dtype = c.attr("value"), c.attr("dtype")
    if value.dtype is not dtype:  # TensorFlow, too, refuses this only at the run
        raise ValueError(f"value has dtype {value.dtype.name}, where dtype is {dtype.name}")
    array: Array = value.array

    def const() -> Array:
        return array

    return const


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor whose value is part of the graph.

    Args:
        value: a number, bool, string or nested list of these, or an ndarray.
        dtype: the dtype; by default that of an ndarray, else float32, int32 (int64 where a number
            needs it), bool, complex128 or string.
        shape: the shape to give it; where it holds more elements than `value`, the last one is
            repeated.
        name: a name for the op.
        verify_shape: whether `value` must have exactly the shape `shape`.

    Returns:
        A Tensor.

    Raises:
        TypeError: an element does not fit the dtype.
        ValueError: the value is ragged, or has more elements than `shape`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.constant(7, shape=[2, 3])))
        [[7 7 7]
         [7 7 7]]
    """
    try:
        array, found = constant_array(value, dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"constant: value: {error}") from None
    if shape is not None:
        array = _reshaped_constant(array, TensorShape(shape).as_list(), verify_shape)
    return make_constant(get_default_graph(), array, found, name)


def _reshaped_constant(array: Array, shape: list[int | None], verify_shape: bool) -> Array:
    sizes = check_size([-1 if size is None else size for size in shape], array.dtype)
    if array.shape == sizes:
        return array
    if verify_shape:
        raise TypeError(f"value has shape {array.shape}, where {sizes} is asked for")
    size = math.prod(sizes)
    if size and not 0 < array.size <= size:  # any value will do where nothing is asked for
        raise ValueError(f"value has {array.size} elements, shape {sizes} has {size}")
    result = np.empty(size, array.dtype)
    if size:
        result[: array.size] = array.ravel()
        result[array.size :] = array.ravel()[-1:]
    result.flags.writeable = False
    return result.reshape(sizes)


PLACEHOLDER = OpDef(
    "Placeholder", "-> output: dtype", "dtype: type, shape: shape = ?", traits=Input()
)
PLACEHOLDER_V2 = OpDef(
    "PlaceholderV2", "-> output: dtype", "dtype: type, shape: shape", traits=Input()
)
PLACEHOLDER_WITH_DEFAULT = OpDef(
    "PlaceholderWithDefault",
    "input: dtype -> output: dtype",
    "dtype: type, shape: shape",
    traits=Input(stateful=True),  # so that the default is not folded into what depends on it
)


@PLACEHOLDER.shape
@PLACEHOLDER_V2.shape
def _placeholder_shape(c: ShapeContext) -> TensorShape:
    return c.attr("shape")


@PLACEHOLDER_WITH_DEFAULT.shape
def _placeholder_with_default_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    if not shape.is_compatible_with(c.shape("input")):
        raise ValueError(f"input has shape {c.shape('input')}, which does not fit shape {shape}")
    return shape


@PLACEHOLDER.kernel
@PLACEHOLDER_V2.kernel
def _placeholder_kernel(c: KernelContext) -> Kernel:
    name, dtype, shape = c.node.name, c.output_dtype.name, c.attr("shape")

    def unfed() -> Array:
        raise ValueError(
            f"You must feed a value for placeholder {name!r}: one of {dtype}, {shape}; write "
            f"session.run(..., feed_dict={{'{name}:0': value}}), or the tensor in place of its name"
        )

    return unfed


def placeholder(
    dtype: Any, shape: Any = None, name: str | None = None, positive: bool = False
) -> Tensor:
    """A tensor whose value is fed at every run.

    Args:
        dtype: the dtype of what is fed.
        shape: the shape of what is fed: a size may be an int, None, or a name such as "batch",
            which stands for the same unknown size everywhere in the graph. By default anything.
        name: a name for the op.
        positive: whether no size is 0, which runs check of what is fed. Then `td.reshape` keeps
            more sizes, as -1 among sizes that may be 0 is ambiguous. A size that is None is named
            after the op and the axis: `x.0`.

    Returns:
        A Tensor. Evaluating it without a feed is an InvalidArgumentError.

    Raises:
        ValueError: a size is 0, and `positive` is set.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, ["batch", 784])
        ...     print(td.concat([x, x], 1).shape)
        (batch, 1568)
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, ["batch", "time", 4], positive=True)
        ...     flat = td.reshape(x, [-1, 4])
        ...     print(flat.shape, td.reshape(flat, [-1, td.shape(x)[1], 4]).shape)
        (batch*time, 4) (batch, time, 4)
    """
    stated = TensorShape(shape)
    if positive:
        name = name or PLACEHOLDER.name
        stated = positive_shape(stated, get_default_graph().unique_name(name, mark_as_used=False))
    return PLACEHOLDER(dtype=dtype, shape=stated, name=name)


def placeholder_with_default(input: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that has the value `input` unless it is fed.

    Args:
        input: the default, of any dtype.
        shape: the shape of what may be fed; that of `input` must fit it.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `input`.

    Raises:
        ValueError: the shape of `input` does not fit `shape`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rate = td.placeholder_with_default(0.5, [])
        ...     session.run(rate), session.run(rate, {rate: 0.25})
        (np.float32(0.5), np.float32(0.25))
    """
    return PLACEHOLDER_WITH_DEFAULT(input, shape=TensorShape(shape), name=name)


IDENTITY = OpDef(
    "Identity", "input: T -> output: T", "T: type", traits=Move(views=True, splits="=")
)
SNAPSHOT = OpDef(
    "Snapshot", "input: T -> output: T", "T: type", traits=Move(views=True, splits="=")
)
STOP_GRADIENT = OpDef(
    "StopGradient", "input: T -> output: T", "T: type", traits=Move(views=True, splits="=")
)
PREVENT_GRADIENT = OpDef(
    "PreventGradient",
    "input: T -> output: T",
    "T: type, message: string = ''",
    traits=Move(views=True, splits="="),
)
IDENTITY_N: OpDef[list[Tensor]] = OpDef(
    "IdentityN", "input: T -> output: T", "T: list(type) >= 1", traits=Move(views=True, splits="=")
)
_IDLE = Traits(stateful=True, idle=True)
NO_OP: OpDef[Operation] = OpDef("NoOp", "->", traits=_IDLE)
# In TensorFlow it runs even where what it waits for does not, as it is in a branch not taken.
CONTROL_TRIGGER: OpDef[Operation] = OpDef("ControlTrigger", "->", traits=_IDLE)


@IDENTITY.shape
@SNAPSHOT.shape
@STOP_GRADIENT.shape
@PREVENT_GRADIENT.shape
def _identity_shape(c: ShapeContext) -> TensorShape:
    c.relay_contents()
    return c.shape("input")


@PLACEHOLDER_WITH_DEFAULT.view_kernel
@IDENTITY.view_kernel
@IDENTITY_N.view_kernel
@SNAPSHOT.view_kernel
@STOP_GRADIENT.view_kernel
@PREVENT_GRADIENT.view_kernel
def _identity_kernel(c: KernelContext) -> Kernel:
    return passthrough


@IDENTITY_N.shape
def _identity_n_shape(c: ShapeContext) -> list[TensorShape]:
    c.relay_contents()
    return c.shapes("input")


@CONTROL_TRIGGER.kernel
@NO_OP.kernel
def _no_op_kernel(c: KernelContext) -> Kernel:

    def no_op() -> None:
        return None

    return no_op


def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`.

    Args:
        input: a tensor of any dtype and shape.
        name: a name for the op.

    Returns:
        A Tensor of the same dtype and shape.

    Example:
        >>> with td.Graph().as_default():
        ...     td.identity([1, 2], name="copy").name
        'copy:0'
    """
    return IDENTITY(input, name=name)


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`, through which no gradient passes.

    Args:
        input: a tensor of any dtype and shape.
        name: a name for the op.

    Returns:
        A Tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.stop_gradient([1.0, 2.0])))
        [1. 2.]
    """
    return STOP_GRADIENT(input, name=name)


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Tensors with the values of several others.

    Args:
        input: a list of tensors, which may be of different dtypes.
        name: a name for the op.

    Returns:
        A list of Tensors.

    Raises:
        ValueError: the list is empty.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.identity_n([1, "two"]))
        [np.int32(1), b'two']
    """
    return IDENTITY_N(input, name=name)
