"""Evenly spaced numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import fresh_vector
from ...shape_inference.symbolic.symbolic import Dim, less
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.allocation import check_size
from ..common.call_forms import name_at, older_form
from .cast import cast

public = {"td": "lin_space linspace range"}

RANGE = OpDef(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
    "Tidx: {bfloat16, half, float32, float64, int8, int16, int32, int64, uint16, uint32, uint64} "
    "= int32",
    traits=Traits(symbolic=True),
)

_ARGUMENTS = ("start", "limit", "delta")
_MOST_ELEMENTS = 2**63 - 1


@RANGE.shape
def _range_shape(c: ShapeContext) -> TensorShape:
    for name in _ARGUMENTS:
        c.shape(name, rank=0)
    if c.output_dtype.is_floating:
        arrays = [c.const(name) for name in _ARGUMENTS]
        constants = [array for array in arrays if array is not None]
        if len(constants) < len(arrays):
            return fresh_vector()
        with np.errstate(all="ignore"):
            return TensorShape.of((_float_count(*constants),))
    start, limit, delta = [c.scalar(name) for name in _ARGUMENTS]
    if start is None or limit is None or not isinstance(delta, int):
        return fresh_vector()
    if not delta and not (isinstance(start, int) and isinstance(limit, int)):
        return fresh_vector()  # TensorFlow refuses this only at the run
    return TensorShape.of((_count(start, limit, delta),))


def _count(start: Dim, limit: Dim, delta: int) -> Dim:
    """Number of integers from `start` up to but excluding `limit` in steps of `delta`.

    Raises:
        ValueError: `delta` is 0, or leads away from `limit`.
    """
    if delta == 0:
        raise ValueError("delta must not be 0")
    step, extent = (delta, limit - start) if delta > 0 else (-delta, start - limit)
    if less(extent, 0):
        raise _leads_away(start, limit, delta)
    return (extent + step - 1) // step


def _float_count(start: Array, limit: Array, delta: Array) -> int:
    """`_count` for floats, computed in their dtype, as TensorFlow does."""
    if delta == 0:
        raise ValueError("delta must not be 0")
    if not (start <= limit if delta > 0 else start >= limit):
        raise _leads_away(start, limit, delta)
    number = float(abs((limit - start) / delta))
    if not number <= _MOST_ELEMENTS:
        raise ValueError(
            f"start = {start}, limit = {limit}, delta = {delta} make {number} elements, more than "
            "any tensor holds"
        )
    return math.ceil(number)


def _leads_away(start: Any, limit: Any, delta: Any) -> ValueError:
    return ValueError(f"delta = {delta} does not lead from start = {start} to limit = {limit}")


@RANGE.fresh_kernel
def _range_kernel(c: KernelContext) -> Kernel:
    dtype = np.dtype(object) if c.symbolic else c.output_dtype.numpy_dtype
    of_floats = c.output_dtype.is_floating

    def range(*scalars: Array) -> Array:
        for name, scalar in zip(_ARGUMENTS, scalars, strict=True):
            if scalar.ndim > 1 or scalar.size != 1:
                raise ValueError(f"{name} must be a scalar, got shape {list(scalar.shape)}")
        start, limit, delta = [scalar.reshape(()) for scalar in scalars]
        if of_floats:
            number: Any = _float_count(start, limit, delta)
        else:
            number = _count(start.item(), limit.item(), delta.item())
        result = _counted(number, dtype)
        if delta != 1:
            result *= delta
        if start != 0:
            result += start
        return result

    return range


def _counted(number: int, dtype: np.dtype[Any]) -> Array:
    """0, 1, ... below `number`."""
    check_size([number], dtype)
    if dtype.kind in "iuf":
        return np.arange(number, dtype=dtype)
    return np.arange(number).astype(dtype)  # bfloat16 and expressions have no range of their own


@older_form("start, limit, delta, name", is_older=name_at(3))
def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: Any = None,
    name: str = "range",
) -> Tensor:
    """The numbers from `start` to before `limit` in steps of `delta`; NumPy's `arange`.

    The i-th is `start + i * delta`, computed in the dtype of the result.

    Args:
        start: a scalar: the first number; or the limit, if that is not given, and the first is 0.
        limit: a scalar that the numbers do not reach.
        delta: a scalar other than 0, which leads from `start` to `limit`.
        dtype: the dtype of the result; by default that of the arguments, and if these differ, the
            last of them in the order int32, int64, float16, bfloat16, float32, float64.
        name: a name for the op.

    Returns:
        A vector.

    Raises:
        TypeError: the arguments are of other dtypes, which differ.
        ValueError: `delta` is 0 or leads away from `limit`, or an argument is not a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run([td.range(3, 18, 3), td.range(3, 1, -0.5)]))
        ...     x = td.placeholder(td.float32, ["batch"])
        ...     print(td.range(td.size(x)).shape)
        [array([ 3,  6,  9, 12, 15], dtype=int32), array([3. , 2.5, 2. , 1.5], dtype=float32)]
        (batch,)
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        wanted = None if dtype is None else as_dtype(dtype)
        scalars = [
            value if isinstance(value, Tensor) else convert_to_tensor(value, wanted, argument)
            for value, argument in zip((start, limit, delta), _ARGUMENTS, strict=True)
        ]
        common = wanted or _widest(scalars)
        return RANGE(*[cast(scalar, common) for scalar in scalars], name=scope)


_WIDENING = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def _widest(scalars: list[Tensor]) -> Any:
    names = {scalar.dtype.base_dtype.name for scalar in scalars}
    if len(names) == 1:
        return names.pop()
    if not names <= {*_WIDENING}:
        dtypes = ", ".join(
            f"{argument} is {scalar.dtype.base_dtype.name}"
            for argument, scalar in zip(_ARGUMENTS, scalars, strict=True)
        )
        raise TypeError(f"{dtypes}; each must be one of {', '.join(_WIDENING)}")
    return max(names, key=_WIDENING.index)


LIN_SPACE = OpDef(
    "LinSpace",
    "start: T, stop: T, num: Tidx -> output: T",
    "T: {bfloat16, half, float32, float64}, Tidx: {int32, int64} = int32",
)


@LIN_SPACE.shape
def _lin_space_shape(c: ShapeContext) -> TensorShape:
    for name in ("start", "stop", "num"):
        c.shape(name, rank=0)
    number = c.scalar("num")
    if isinstance(number, int):
        _check_positive(number)
    return fresh_vector() if number is None else TensorShape.of((number,))


def _check_positive(number: int) -> None:
    if number <= 0:
        raise ValueError(f"num = {number} is not positive")


@LIN_SPACE.fresh_kernel
def _lin_space_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def lin_space(start: Array, stop: Array, num: Array) -> Array:
        for name, scalar in (("start", start), ("stop", stop), ("num", num)):
            if scalar.ndim:
                raise ValueError(f"{name} must be a scalar, got shape {list(scalar.shape)}")
        _check_positive(num.item())
        number = num.item()
        result = _counted(number, dtype)
        if number > 1:
            result *= (stop - start) / dtype.type(number - 1)
        result += start
        if number > 1:
            result[-1] = stop
        return result

    return lin_space


def linspace(start: TensorLike, stop: TensorLike, num: Any, name: str | None = None) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    The i-th is `start + i * step`, computed in the dtype of the result; the last is `stop`.

    Args:
        start: a scalar of a floating dtype: the first number.
        stop: a scalar of the same dtype: the last one.
        num: an integer scalar, at least 1. A single number is `start`.
        name: a name for the op.

    Returns:
        A vector.

    Raises:
        TypeError: `start` and `stop` are not of one floating dtype.
        ValueError: `num` is not positive, or an argument is not a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linspace(10.0, 12.0, 3)))
        [10. 11. 12.]
    """
    return LIN_SPACE(start, stop, num, name=name)


lin_space = linspace
