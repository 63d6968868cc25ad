"""Ops along one axis: running sums and products, and where the extrema are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, normal_axis
from ...shape_inference.split_rules import all_but
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Reduction, Traits
from ..common.call_forms import renamed
from ..common.elementwise import COMPLEX, FLOATS, QUANTIZED, REALS
from ..common.flops import flops_per_element

public = {
    "td": "arg_max arg_min",
    "td, td.math": "argmax argmin cumprod cumsum",
    "td.math": "cumulative_logsumexp",
}


_SCAN = "exclusive: bool = false, reverse: bool = false, Tidx: {int32, int64} = int32"
_NUMBERS = f"T: {{{REALS}, {COMPLEX}, {QUANTIZED}}}"
CUMSUM = OpDef(
    "Cumsum", "x: T, axis: Tidx -> out: T", f"{_NUMBERS}, {_SCAN}", traits=Traits(symbolic=True)
)
CUMSUM.split(all_but("axis"))
CUMPROD = OpDef(
    "Cumprod", "x: T, axis: Tidx -> out: T", f"{_NUMBERS}, {_SCAN}", traits=Traits(symbolic=True)
)
CUMPROD.split(all_but("axis"))
CUMULATIVE_LOGSUMEXP = OpDef(
    "CumulativeLogsumexp", "x: T, axis: Tidx -> out: T", f"T: {{{FLOATS}}}, {_SCAN}"
)
CUMULATIVE_LOGSUMEXP.split(all_but("axis"))

flops_per_element(1, CUMSUM, CUMPROD, CUMULATIVE_LOGSUMEXP)


@CUMSUM.shape
@CUMPROD.shape
@CUMULATIVE_LOGSUMEXP.shape
def _scan_shape(c: ShapeContext) -> TensorShape:
    c.shape("axis", rank=0)
    x, axis = c.shape("x"), c.const("axis")
    if axis is not None and x.rank is not None:
        normal_axis(int(axis), x.rank)
    return x


def _scan(ufunc: np.ufunc, neutral: float) -> Callable[[KernelContext], Kernel]:
    def kernel(c: KernelContext) -> Kernel:
        exclusive, reverse = c.attr("exclusive"), c.attr("reverse")
        dtype = np.dtype(object) if c.symbolic else c.output_dtype.numpy_dtype

        def scan(x: Array, axis: Array) -> Array:
            if axis.ndim:
                raise ValueError(f"axis must have rank 0, got {list(axis.shape)}")
            x = np.moveaxis(x, normal_axis(int(axis), x.ndim), -1)
            x = x[..., ::-1] if reverse else x
            if exclusive:
                result = np.empty(x.shape, dtype)
                result[..., :1] = neutral
                if x.shape[-1] > 1:
                    ufunc.accumulate(x[..., :-1], -1, dtype, result[..., 1:])
            else:
                result = ufunc.accumulate(x, -1, dtype)
            result = result[..., ::-1] if reverse else result
            return np.moveaxis(result, -1, int(axis))

        return scan

    return kernel


CUMSUM.fresh_kernel(_scan(np.add, 0))
CUMPROD.fresh_kernel(_scan(np.multiply, 1))
CUMULATIVE_LOGSUMEXP.fresh_kernel(_scan(np.logaddexp, -np.inf))


def cumsum(
    x: TensorLike,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sums along an axis.

    Integers that overflow wrap around; NumPy widens them.

    Args:
        x: a tensor of numbers, of rank at least 1.
        axis: the axis, a scalar in [-rank, rank).
        exclusive: whether element i sums those before i, rather than up to i.
        reverse: whether to sum from the end.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `x`. An axis out of range is an error of the run.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.cumsum([1, 2, 3], exclusive=True)))
        [0 1 3]
    """
    return CUMSUM(x, axis, exclusive=exclusive, reverse=reverse, name=name)


def cumprod(
    x: TensorLike,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running products along an axis.

    Integers that overflow wrap around; NumPy widens them.

    Args:
        x: a tensor of numbers, of rank at least 1.
        axis: the axis, a scalar in [-rank, rank).
        exclusive: whether element i multiplies those before i, rather than up to i.
        reverse: whether to multiply from the end.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `x`. An axis out of range is an error of the run.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.cumprod([1, 2, 3], reverse=True)))
        [6 6 3]
    """
    return CUMPROD(x, axis, exclusive=exclusive, reverse=reverse, name=name)


def cumulative_logsumexp(
    x: TensorLike,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sums along an axis of numbers whose logarithms are given: `log(cumsum(exp(x)))`.

    Args:
        x: a tensor of floats, of rank at least 1.
        axis: the axis, a scalar in [-rank, rank).
        exclusive: whether element i sums those before i, rather than up to i; of none it is the
            least number of the dtype.
        reverse: whether to sum from the end.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `x`. An axis out of range is an error of the run.

    Raises:
        TypeError: `x` is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.math.cumulative_logsumexp([0.0, 0.0, 1000.0])))
        [0.000000e+00 6.931472e-01 1.000000e+03]
    """
    return CUMULATIVE_LOGSUMEXP(x, axis, exclusive=exclusive, reverse=reverse, name=name)


ARG_MAX = OpDef(
    "ArgMax",
    "input: T, dimension: Tidx -> output: output_type",
    f"T: {{{REALS}, {QUANTIZED}, bool}}, Tidx: {{int16, int32, int64}} = int32, "
    "output_type: {int16, uint16, int32, int64} = int64",
    traits=Reduction("dimension"),
)
ARG_MIN = OpDef(
    "ArgMin",
    "input: T, dimension: Tidx -> output: output_type",
    f"T: {{{REALS}, {QUANTIZED}, bool}}, Tidx: {{int32, int64}} = int32, "
    "output_type: {int32, int64} = int64",
    traits=Reduction("dimension"),
)


@ARG_MAX.shape
@ARG_MIN.shape
def _arg_shape(c: ShapeContext) -> TensorShape:
    c.shape("dimension", rank=0)
    sizes, axis = c.shape("input").sizes, c.const("dimension")
    if sizes is None:
        return UNKNOWN_SHAPE
    if len(sizes) < 2:
        return TensorShape.of(())  # an axis out of range is an error of the run
    if axis is None:
        return TensorShape.of((None,) * (len(sizes) - 1))
    gone = normal_axis(int(axis), len(sizes), "dimension")
    return TensorShape.of((*sizes[:gone], *sizes[gone + 1 :]))


def _finder(find: Callable[..., Any], losing: float) -> Callable[[KernelContext], Kernel]:
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        floats = c.dtype("input").is_floating

        def arg(x: Array, dimension: Array) -> Array:
            if dimension.ndim:
                raise ValueError(f"dimension must have rank 0, got {list(dimension.shape)}")
            axis = normal_axis(int(dimension), x.ndim, "dimension")
            if not x.shape[axis]:
                raise ValueError(f"dimension {axis} of input is empty: {list(x.shape)}")
            if floats and np.isnan(x).any():
                x = np.where(np.isnan(x), x.dtype.type(losing), x)  # NumPy would find the NaN
            return np.asarray(find(x, axis), dtype)

        return arg

    return kernel


ARG_MAX.fresh_kernel(_finder(np.argmax, -np.inf))
ARG_MIN.fresh_kernel(_finder(np.argmin, np.inf))


@renamed(dimension="axis")
def argmax(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = "int64",
) -> Tensor:
    """Where the largest element along an axis stands; the first of several.

    NaN is never the largest, where NumPy takes it for that.

    Args:
        input: a tensor of integers, floats or bools, of rank at least 1.
        axis: the axis, a scalar in [-rank, rank); by default 0, where NumPy flattens the array.
        name: a name for the op.
        dimension: the older name of `axis`.
        output_type: int64, or int32, int16 or uint16.

    Returns:
        A Tensor of `output_type`, without the axis. An axis of size 0 is an error of the run.

    Raises:
        ValueError: the axis is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.argmax([[1, 5, 2], [7, 0, 7]], axis=1)))
        [1 0]
    """
    axis = 0 if axis is None else axis
    return ARG_MAX(input, axis, output_type=output_type, name=name)


@renamed(dimension="axis")
def argmin(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = "int64",
) -> Tensor:
    """Where the smallest element along an axis stands; the first of several.

    NaN is never the smallest, where NumPy takes it for that.

    Args:
        input: a tensor of integers, floats or bools, of rank at least 1.
        axis: the axis, a scalar in [-rank, rank); by default 0, where NumPy flattens the array.
        name: a name for the op.
        dimension: the older name of `axis`.
        output_type: int64 or int32.

    Returns:
        A Tensor of `output_type`, without the axis. An axis of size 0 is an error of the run.

    Raises:
        ValueError: the axis is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.argmin([[1, 5, 2], [7, 0, 7]], axis=1)))
        [0 1]
    """
    axis = 0 if axis is None else axis
    return ARG_MIN(input, axis, output_type=output_type, name=name)


def arg_max(
    input: TensorLike, dimension: Any, output_type: Any = "int64", name: str | None = None
) -> Tensor:
    """`td.argmax`, as the op is called in TensorFlow's first version.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.arg_max([[1, 5, 2], [7, 0, 7]], 1)))
        [1 0]
    """
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(
    input: TensorLike, dimension: Any, output_type: Any = "int64", name: str | None = None
) -> Tensor:
    """`td.argmin`, as the op is called in TensorFlow's first version.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.arg_min([[1, 5, 2], [7, 0, 7]], 1)))
        [0 1]
    """
    return argmin(input, dimension, name, output_type=output_type)
