"""Choosing between tensors by a condition, clipping, and finding what is true."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, broadcast
from ...shape_inference.symbolic.symbolic import DimExpr, Undecidable, bounds, dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Elementwise, Traits
from ..common.elementwise import COMPLEX, QUANTIZED, REALS, like_the_other, symbolically
from ..common.extrema import larger, smaller
from ..common.select_elements import chosen
from .arithmetic import maximum, minimum

public = {"td": "clip_by_value select where where_v2"}

_NUMBERS = f"{REALS}, {COMPLEX}, {QUANTIZED}"
SELECT = OpDef(
    "Select",
    "condition: bool, t: T, e: T -> output: T",
    "T: type",
    traits=Traits(symbolic=True, splits="n*,n*,n*->n*"),
)
SELECT_V2 = OpDef(
    "SelectV2",
    "condition: bool, t: T, e: T -> output: T",
    "T: type",
    traits=Elementwise(symbolic=True),
)
WHERE = OpDef("Where", "input: T -> index: int64", f"T: {{{_NUMBERS}, bool}} = bool")
CLIP_BY_VALUE = OpDef(
    "ClipByValue",
    "t: T, clip_value_min: T, clip_value_max: T -> output: T",
    f"T: {{{_NUMBERS}}}",
    traits=Elementwise(),
)


def _selected(c: OpContext, condition: TensorShape, t: TensorShape, e: TensorShape) -> TensorShape:
    """The shape of the result of `Select`.

    Raises:
        ValueError: `t` and `e` differ, or `condition` is neither a scalar, nor as long as they
            are, nor of their shape.
    """
    shape = c.merged("t and e", (t, e))
    holds: Any = condition.sizes
    sizes: Any = shape.sizes
    if holds is None or sizes is None or not holds:
        return shape
    if len(holds) != 1 or not sizes:
        return c.merged("condition, t and e", (condition, shape))
    length = c.same_size("the lengths of condition, t and e", holds[0], sizes[0])
    return TensorShape.of((length, *sizes[1:]))


@SELECT.shape
def _select_shape(c: ShapeContext) -> TensorShape:
    return _selected(c, c.shape("condition"), c.shape("t"), c.shape("e"))


def _chosen_size(condition: Any, t: Any, e: Any) -> Any:
    """Of two sizes the one that `condition` tells; a symbol where only the run can tell."""
    if not isinstance(condition, DimExpr):
        return t if condition else e
    if t == e:
        return t
    if not (isinstance(t, (int, DimExpr)) and isinstance(e, (int, DimExpr))):
        raise Undecidable(f"whether it is {t} or {e} is not known before the run")
    (t_lower, t_upper), (e_lower, e_upper) = bounds(t), bounds(e)
    return dim_symbol(
        lower=None if t_lower is None or e_lower is None else min(t_lower, e_lower),
        upper=None if t_upper is None or e_upper is None else max(t_upper, e_upper),
    )


_CHOOSE_SIZES = symbolically(_chosen_size)


@SELECT.view_kernel
def _select_kernel(c: KernelContext) -> Kernel:
    dtype = np.dtype(object) if c.symbolic else c.output_dtype.numpy_dtype
    shapes = [c.shape(name) for name in ("condition", "t", "e")]
    rows = shapes[0].rank == 1 and (shapes[1].rank or 0) > 1

    choose = _CHOOSE_SIZES if c.symbolic else chosen

    def select(condition: Array, t: Array, e: Array) -> Array:
        _selected(c, *[TensorShape.of(x.shape) for x in (condition, t, e)])
        if condition.ndim == 0 and not c.symbolic:
            return t if condition else e
        condition = condition.reshape(condition.shape + (1,) * (t.ndim - condition.ndim))
        return np.asarray(choose(condition, t, e), dtype)

    def select_elements(condition: Array, t: Array, e: Array) -> Array:
        return chosen(condition, t, e)

    certain = shapes[0].rank and all(shape.sizes == shapes[0].sizes for shape in shapes)
    return select_elements if certain and not rows and not c.symbolic else select


@SELECT_V2.shape
def _select_v2_shape(c: ShapeContext) -> TensorShape:
    return broadcast(c.shape("condition"), c.shape("t"), c.shape("e"))


@SELECT_V2.fresh_kernel
def _select_v2_kernel(c: KernelContext) -> Kernel:
    dtype = np.dtype(object) if c.symbolic else c.output_dtype.numpy_dtype
    choose = _CHOOSE_SIZES if c.symbolic else chosen

    def select(condition: Array, t: Array, e: Array) -> Array:
        try:
            return np.asarray(choose(condition, t, e), dtype)
        except ValueError:
            broadcast(*[TensorShape.of(x.shape) for x in (condition, t, e)])
            raise

    return select


@WHERE.shape
def _where_shape(c: ShapeContext) -> TensorShape:
    return TensorShape.of((None, c.shape("input").rank))


@WHERE.fresh_kernel
def _where_kernel(c: KernelContext) -> Kernel:

    def where_true(x: Array) -> Array:
        if not x.ndim:
            raise ValueError("input must have rank at least 1, got shape ()")
        return np.argwhere(x).astype(np.int64, copy=False)

    return where_true


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Takes from `x` where `condition` holds and else from `y`; or tells where it holds.

    Args:
        condition: a bool tensor. Without `x` and `y`, a tensor of bools or numbers of rank at
            least 1.
        x: a tensor of any dtype.
        y: a tensor of the same dtype. Where both have the same shape, `condition` has that shape,
            or is a vector that chooses rows, or a scalar; all else is broadcast, as NumPy does.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `x`; without `x` and `y` the indices of the elements that are
        true or not zero, int64[n, rank] in row-major order, where NumPy returns a tuple.

    Raises:
        TypeError: the dtypes of `x` and `y` differ.
        ValueError: only one of `x` and `y` is given, or the shapes do not fit.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.where([True, False], [1, 2], [3, 4])))
        ...     print(session.run(td.where([True, False, True])))
        [1 4]
        [[0]
         [2]]
    """
    if x is None and y is None:
        return WHERE(condition, name=name)
    if x is None or y is None:
        raise ValueError("where takes both x and y, or neither")
    return select(condition, x, y, name)


def select(condition: TensorLike, t: Any, e: Any, name: str | None = None) -> Tensor:
    """Takes from `t` where `condition` holds, and else from `e`.

    Args:
        condition: a bool tensor.
        t: a tensor of any dtype.
        e: a tensor of the same dtype; see `where` for the shapes.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `t`.

    Raises:
        TypeError: the dtypes of `t` and `e` differ.
        ValueError: the shapes do not fit.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.select([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])))
        [[1 2]
         [7 8]]
    """
    condition = like_the_other(condition, None)
    t = like_the_other(t, e)
    e = like_the_other(e, t)
    definition = SELECT if _is_plain(condition.shape, t.shape, e.shape) else SELECT_V2
    return definition(condition, t, e, name=name)


def _is_plain(condition: TensorShape, t: TensorShape, e: TensorShape) -> bool:
    """Whether the shapes may be such that nothing needs to be broadcast but a condition of rows."""
    if not t.is_compatible_with(e):
        return False
    shape = t.merge_with(e)
    return any(map(condition.is_compatible_with, (SCALAR, shape, shape[:1])))


def where_v2(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Takes from `x` where `condition` holds and else from `y`, always broadcasting as NumPy does.

    Args:
        condition: a bool tensor; without `x` and `y` as for `where`.
        x: a tensor of any dtype.
        y: a tensor of the same dtype; the three are broadcast together.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `x`, of the shape that the arguments broadcast to.

    Raises:
        TypeError: the dtypes of `x` and `y` differ.
        ValueError: only one of `x` and `y` is given, or the shapes do not broadcast together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.where_v2([True, False], [[1, 2], [3, 4]], 0)))
        [[1 0]
         [3 0]]
    """
    if x is None or y is None:
        return where(condition, x, y, name)
    x = like_the_other(x, y)
    return SELECT_V2(condition, x, y, name=name)


@CLIP_BY_VALUE.shape
def _clip_shape(c: ShapeContext) -> TensorShape:
    return c.shape("t")


@CLIP_BY_VALUE.fresh_kernel
def _clip_kernel(c: KernelContext) -> Kernel:

    def clip(t: Array, low: Array, high: Array) -> Array:
        for name, limit in (("clip_value_min", low), ("clip_value_max", high)):
            if limit.ndim and limit.shape != t.shape:
                shape, whole = TensorShape.of(limit.shape), TensorShape.of(t.shape)
                raise ValueError(f"{name} must be a scalar or of the shape {whole}, got {shape}")
        if t.dtype.kind in "iuf" and not low.ndim and not high.ndim and low <= high:
            return np.asarray(np.clip(t, low, high))
        return np.asarray(larger(smaller(t, high), low))

    return clip


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """`t` with the elements below and above a range moved to its ends.

    Args:
        t: a tensor of integers or floats, or IndexedSlices, of which the values are clipped.
        clip_value_min: the low end, of the same dtype: a scalar, or what broadcasts to `t`.
        clip_value_max: the high end, likewise. Where it is below the low end, the low end wins.
        name: a name for the op that gives the result.

    Returns:
        A Tensor of the shape and dtype of `t`, IndexedSlices of such. NaN stays NaN.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes do not broadcast together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.clip_by_value([-1, 3, 9], 0, 5)))
        [0 3 5]
    """
    x = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t)
    with name_scope(name, "clip_by_value", [x]) as scope:
        clipped = maximum(minimum(x, clip_value_max), clip_value_min, scope)
    return with_values(t, same_shape("t", x, clipped))


def with_values(given: Any, values: Tensor) -> Any:
    """`values`; as IndexedSlices of the places of `given`, where that is such."""
    if isinstance(given, IndexedSlices):
        return IndexedSlices(values, given.indices, given.dense_shape)
    return values


def same_shape(name: str, x: Tensor, result: Tensor) -> Tensor:
    """`result`, which must have the shape of `x`: to broadcast `x` would be a surprise.

    Raises:
        ValueError: it is known that it has not.
    """
    if not x.shape.is_compatible_with(result.shape):
        raise ValueError(
            f"the shape of {name}, {x.shape}, is incompatible with that of the result, "
            f"{result.shape}: a limit must broadcast to it"
        )
    return result


BUCKETIZE = OpDef(
    "Bucketize",
    "input: T -> output: int32",
    "T: {int32, int64, float32, float64}, boundaries: list(float)",
    traits=Traits(splits="...->..."),
)


@BUCKETIZE.shape
def _bucketize_shape(c: ShapeContext) -> TensorShape:
    return c.shape("input")


@BUCKETIZE.fresh_kernel
def _bucketize_kernel(c: KernelContext) -> Kernel:
    boundaries = np.array(c.attr("boundaries"), np.float32)
    if (boundaries[1:] < boundaries[:-1]).any():
        raise ValueError(f"boundaries must be in ascending order, got {boundaries.tolist()}")

    def bucketize(x: Array) -> Array:
        return np.asarray(np.searchsorted(boundaries, x, "right"), np.int32)

    return bucketize
