"""Norms and moments: what is measured of a tensor, and tensors scaled to a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import registry
from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..array.reshape import squeeze
from ..common.call_forms import renamed
from ..common.elementwise import FLOATS
from ..common.parallel_blocks import on_one_thread
from ..math.arithmetic import maximum, multiply, square, squared_difference
from ..math.exponentials import rsqrt
from ..math.reductions import axes_or_all, reduce_mean, reduce_sum

public = {
    "td.linalg, td.math, td.nn": "l2_normalize",
    "td.nn": "l2_loss moments",
}

L2_LOSS = OpDef(
    "L2Loss", "t: T -> output: T", f"T: {{{FLOATS}}}", traits=Traits(splits="...->:sum")
)
L2_LOSS.flops(lambda c: 3 * c.first_elements() - 1)


@L2_LOSS.shape
def _l2_loss_shape(c: ShapeContext) -> TensorShape:
    return SCALAR


@L2_LOSS.fresh_kernel
@on_one_thread()
def _l2_loss_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def l2_loss(t: Array) -> Array:
        flat = t.reshape(-1)
        if dtype.itemsize == 2:
            flat = flat.astype(np.float32)
        return np.asarray(np.dot(flat, flat) / 2, dtype)

    return l2_loss


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of the squares of all elements.

    Args:
        t: a tensor of floats.
        name: a name for the op.

    Returns:
        A scalar Tensor of the dtype of `t`.

    Raises:
        TypeError: `t` is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.nn.l2_loss([3.0, 4.0]))
        np.float32(12.5)
    """
    return L2_LOSS(t, name=name)


@renamed(dim="axis")
def l2_normalize(
    x: TensorLike,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """`x` scaled so that the squares along some axes sum to 1.

    Args:
        x: a tensor of floats.
        axis: an axis or a list of them; by default all.
        epsilon: the least sum of squares that is divided by.
        name: a name for the scope of the ops.
        dim: the older name of `axis`.

    Returns:
        A Tensor of the shape and dtype of `x`.

    Raises:
        ValueError: an axis is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.l2_normalize([3.0, 4.0], 0)))
        [0.6 0.8]
    """
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        total = reduce_sum(square(x), axis, True)
        return multiply(x, rsqrt(maximum(total, epsilon)), name=scope)


def _without(moment: Tensor, axes: Any, known: list[int] | None) -> Tensor:
    """A moment without the axes of size 1 that reduction has kept; `known` where they are."""
    if known is None:
        return reduce_sum(moment, axes)
    return squeeze(moment, known) if known else moment


@renamed(keepdims="keep_dims")
def moments(
    x: TensorLike,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of the elements along some axes.

    Args:
        x: a tensor of floats.
        axes: an axis or a list of them.
        shift: accepted for TensorFlow's sake.
        name: a name for the scope of the ops.
        keep_dims: whether the axes stay, with size 1.
        keepdims: the newer name of `keep_dims`.

    Returns:
        The mean and the variance (divided by the number of elements): two Tensors of the dtype of
        `x`. Of float16 they are computed in float32.

    Raises:
        ValueError: an axis is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(*session.run(td.nn.moments([[1.0, 3.0], [2.0, 6.0]], 1)))
        [2. 4.] [1. 4.]
    """
    with name_scope(name, "moments", [x]):
        x = convert_to_tensor(x, name="x")
        dtype = x.dtype.base_dtype
        cast = registry.lookup("Cast")
        wide = cast(x, DstT="float32") if dtype.name == "float16" else x
        axes = axes_or_all(wide, axes)
        mean = reduce_mean(wide, axes, True, "mean")
        center = registry.lookup("StopGradient")(mean)
        variance = reduce_mean(squared_difference(wide, center), axes, True, "variance")
        if not keep_dims:
            # The names are TensorFlow's: averages of moments are called after them in checkpoints.
            known = constant_value(axes) if isinstance(axes, Tensor) else axes
            gone = None if known is None else np.ravel(known).tolist()
            mean, variance = (_without(moment, axes, gone) for moment in (mean, variance))
        if wide is not x:
            return cast(mean, DstT=dtype), cast(variance, DstT=dtype)
        return mean, variance
