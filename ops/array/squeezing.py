"""Axes of size 1, and shapes that are checked: squeeze, expand_dims, ensure_shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, normal_axes, normal_axis
from ...shape_inference.split_rules import following
from ...shape_inference.symbolic.symbolic import Dim, equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.call_forms import renamed

public = {"td": "ensure_shape expand_dims squeeze"}

SQUEEZE = OpDef(
    "Squeeze",
    "input: T -> output: T",
    "T: type, squeeze_dims: list(int32) >= 0 = []",
    traits=Move(views=True, sums="input"),
)
SQUEEZE.split(following("input"))


@SQUEEZE.shape
def _squeeze_shape(c: ShapeContext) -> TensorShape:
    sizes = c.sizes("input")
    if sizes is None:
        return UNKNOWN_SHAPE
    axes = c.attr("squeeze_dims")
    result = _squeezed(sizes, axes)
    for axis in set(normal_axes(axes, len(sizes), "squeeze_dims")):
        c.same_size(f"dimension {axis} of input and 1", sizes[axis], 1)
    return TensorShape.of(result)


def _squeezed(sizes: Sequence[Dim], axes: Sequence[int]) -> tuple[Dim, ...] | None:
    """The sizes that are left; None where that depends on the run.

    Raises:
        ValueError: an axis is out of range, or its size is not 1.
    """
    if not axes:
        ones = [equal(n, 1) for n in sizes]
        if None in ones:
            return None
        return tuple([n for n, is_one in zip(sizes, ones, strict=True) if not is_one])
    gone = set(normal_axes(axes, len(sizes), "squeeze_dims"))
    for axis in sorted(gone):
        if equal(sizes[axis], 1) is False:
            raise ValueError(
                f"dimension {axis} of input has size {sizes[axis]}, "
                f"where squeeze_dims = {list(axes)} needs 1"
            )
    return tuple([n for i, n in enumerate(sizes) if i not in gone])


@SQUEEZE.view_kernel
def _squeeze_kernel(c: KernelContext) -> Kernel:
    axes = c.attr("squeeze_dims")

    def squeeze_all(x: Array) -> Array:
        return x.reshape([n for n in x.shape if n != 1])

    def squeeze_some(x: Array) -> Array:
        return x.reshape(_squeezed(x.shape, axes) or ())

    return squeeze_some if axes else squeeze_all


@renamed(squeeze_dims="axis")
def squeeze(
    input: TensorLike, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """A tensor without axes of size 1.

    Args:
        input: a tensor of any dtype.
        axis: the axes to remove: an int or a list of ints, each in [-rank, rank). By default all
            of size 1.
        name: a name for the op.
        squeeze_dims: the older name of `axis`.

    Returns:
        A Tensor of the dtype of `input`. Where a size is unknown and `axis` is not given, even
        its rank is unknown before a run.

    Raises:
        ValueError: an axis is out of range or of another size than 1, or both `axis` and
            `squeeze_dims` are given.

    Example:
        >>> with td.Graph().as_default():
        ...     t = td.placeholder(td.float32, [1, 2, 1, 3, 1, 1])
        ...     print(td.squeeze(t).shape, td.squeeze(t, [2, 4]).shape)
        (2, 3) (1, 2, 3, 1)
    """
    axes = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    return SQUEEZE(input, squeeze_dims=axes, name=name)


EXPAND_DIMS = OpDef(
    "ExpandDims",
    "input: T, dim: Tdim -> output: T",
    "T: type, Tdim: {int32, int64} = int32",
    traits=Move(views=True, sums="input"),
)
EXPAND_DIMS.split(following("input"))


@EXPAND_DIMS.shape
def _expand_dims_shape(c: ShapeContext) -> TensorShape:
    axis = c.const("dim")
    sizes = c.shape("input").sizes
    if axis is not None and not axis.size and c.input("dim").op.definition.name != "Const":
        axis = None  # what is fed is looked at in the run, though nothing can be in it
    if axis is not None:
        _check_single(axis)
    if sizes is None:
        return UNKNOWN_SHAPE
    if axis is None:
        return TensorShape.of((None,) * (len(sizes) + 1))
    return TensorShape.of(_expanded(sizes, axis.item()))


def _check_single(axis: Array) -> None:
    if axis.size != 1:
        raise ValueError(f"axis must be a single number, got shape {list(axis.shape)}")


def _expanded(sizes: tuple[Any, ...], axis: int) -> tuple[Any, ...]:
    axis = normal_axis(axis, len(sizes) + 1)
    return (*sizes[:axis], 1, *sizes[axis:])


@EXPAND_DIMS.view_kernel
def _expand_dims_kernel(c: KernelContext) -> Kernel:

    def expand_dims(x: Array, axis: Array) -> Array:
        _check_single(axis)
        return x.reshape(_expanded(x.shape, axis.item()))

    return expand_dims


@renamed(dim="axis")
def expand_dims(
    input: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """A tensor with one more axis, of size 1.

    Args:
        input: a tensor of any dtype.
        axis: where the axis stands in the result: an integer tensor of rank 0 or one element, in
            [-rank - 1, rank].
        name: a name for the op.
        dim: the older name of `axis`.

    Returns:
        A Tensor of the dtype of `input`.

    Raises:
        ValueError: `axis` is out of range, or both `axis` and `dim` are given.

    Example:
        >>> with td.Graph().as_default():
        ...     t = td.placeholder(td.float32, [2, 3, 5])
        ...     print(td.expand_dims(t, 2).shape, td.expand_dims(t, -1).shape)
        (2, 3, 1, 5) (2, 3, 5, 1)
    """
    if axis is None:
        raise ValueError("expand_dims needs an axis")
    return EXPAND_DIMS(input, axis, name=name)


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
