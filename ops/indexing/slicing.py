"""Parts of a tensor: Slice and StridedSlice."""

from __future__ import annotations

import builtins
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import is_symbolic
from ...shape_inference.rules import UNKNOWN_SHAPE, shape_from_value
from ...shape_inference.symbolic.symbolic import (
    DimExpr,
    dim_max,
    dim_min,
    dim_symbol,
    less,
    less_equal,
)
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..array.fills import ones_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...protos.dtypes import DType
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.symbolic.symbolic import Dim

public = {"td": "slice strided_slice"}

SLICE = OpDef(
    "Slice",
    "input: T, begin: Index, size: Index -> output: T",
    "T: type, Index: {int32, int64}",
    traits=Move(),
)


@SLICE.shape
def _slice_shape(c: ShapeContext) -> TensorShape:
    spec = c.merged("begin and size", [c.shape("begin", rank=1), c.shape("size", rank=1)])
    length = (spec.sizes or (None,))[0]
    rank = length if isinstance(length, int) else None
    sizes: Any = c.shape("input", rank=rank).sizes
    if sizes is None:
        return UNKNOWN_SHAPE
    for name in ("begin", "size"):
        shape_from_value(c, name, minus_one_is_unknown=True)  # what is too large, the run refuses
    size = c.const("size")
    if size is not None and (size < -1).any():
        raise ValueError(f"size = {size.tolist()} must hold nothing below -1")
    begins, lengths = _elements(c, ("begin", "size"), len(sizes))
    for i, (n, begin, number) in enumerate(zip(sizes, begins, lengths, strict=True)):
        if size is not None and number == -1 and less(n, begin):
            raise ValueError(f"begin[{i}] = {begin} is more than the size {n}")
    return TensorShape.of(tuple(map(_slice_size, sizes, begins, lengths)))


def _elements(c: ShapeContext, names: Sequence[str], length: int) -> list[list[Dim]]:
    """The elements of index vectors, with a symbol for each that is not known."""
    values = [c.value(name) for name in names]
    return [
        [dim_symbol(lower=None) for _ in range(length)] if value is None else value.tolist()
        for value in values
    ]


def _slice_size(n: Dim, begin: Dim, size: Dim) -> Dim | None:
    if isinstance(size, DimExpr):
        return size if less_equal(0, size) else None  # it may be -1
    if size >= 0:
        return size
    fails = size < -1 or less(begin, 0) or less(n, begin)
    return None if fails else n - begin


@SLICE.kernel
def _slice_kernel(c: KernelContext) -> Kernel:
    begin, size = c.const("begin"), c.const("size")
    if begin is None or size is None:

        def slice_dynamic(x: Array, begin: Array, size: Array) -> Array:
            result: Array = x[_slice_index(x.shape, begin, size)]
            return result

        return slice_dynamic

    @functools.lru_cache(maxsize=8)
    def index_for(shape: tuple[int, ...]) -> tuple[Any, ...]:
        return _slice_index(shape, begin, size)

    def slice_constant(x: Array, *_: Array) -> Array:
        result: Array = x[index_for(x.shape)]
        return result

    return slice_constant


def _slice_index(shape: Sequence[int], begin: Array, size: Array) -> tuple[Any, ...]:
    if begin.shape != (len(shape),) or size.shape != begin.shape:
        raise ValueError(
            f"begin and size must have shape ({len(shape)},), the rank of the input, got "
            f"{begin.shape} and {size.shape}"
        )
    index: list[Any] = []
    for i, (n, b, s) in enumerate(zip(shape, begin.tolist(), size.tolist(), strict=True)):
        if not 0 <= b <= n:
            raise ValueError(f"begin[{i}] = {b} is not in [0, {n}]")
        if not -1 <= s <= n - b:
            raise ValueError(f"size[{i}] = {s} is not in [-1, {n - b}]")
        index.append(builtins.slice(b, n if s == -1 else b + s))
    return (*index, ...)


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The part of a tensor that starts at `begin` and is as large as `size`.

    Unlike a NumPy slice, one that reaches out of the tensor is an error.

    Args:
        input_: a tensor of any dtype and shape.
        begin: an int32 or int64 vector: where the part starts, for each dimension.
        size: a vector of the dtype of `begin`: how many elements to take, for each dimension; -1
            takes all that are left.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `input_`.

    Raises:
        ValueError: `begin` and `size` are known not to fit `input_`; what only the run can tell is
            an InvalidArgumentError.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2])))
        [[2 3]
         [5 6]]
    """
    return SLICE(input_, begin, size, Index=_index_dtype(begin, size), name=name)


SPEC = ("begin", "end", "strides")
MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
STRIDED_SLICE = OpDef(
    "StridedSlice",
    "input: T, begin: Index, end: Index, strides: Index -> output: T",
    "T: type, Index: {int16, int32, int64}, " + ", ".join(f"{mask}: int32 = 0" for mask in MASKS),
    traits=Move(relays_sizes=True),
)


class _At(NamedTuple):
    """A single index: element number `place` of the spec."""

    place: int
    index: Any
    stride: Any


def _items(masks: Sequence[int], begin: Any, end: Any, strides: Any) -> list[Any]:
    """What a slice spec denotes, as a NumPy index with `_At` for numbers; always with one `...`."""
    begin_mask, end_mask, ellipsis, new_axis, shrink = masks
    if ellipsis & (ellipsis - 1):
        raise ValueError(f"ellipsis_mask may set one bit, got {ellipsis:#b}")
    items: list[Any] = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis & bit:
            items.append(...)
        elif new_axis & bit:
            items.append(None)
        elif s == 0:
            raise ValueError(f"strides[{i}] = 0 must not be zero")
        elif shrink & bit:
            items.append(_At(i, b, s))
        else:
            start, stop = None if begin_mask & bit else b, None if end_mask & bit else e
            items.append(builtins.slice(start, stop, s))
    return items if ... in items else [*items, ...]


def numpy_index(items: Iterable[Any]) -> tuple[Any, ...]:
    """What `items` denote, as NumPy takes it."""
    return tuple([_checked(item).index if isinstance(item, _At) else item for item in items])


def _checked(item: _At) -> _At:
    if item.stride < 0:
        raise ValueError(
            f"strides[{item.place}] = {item.stride} must be positive where one element is taken"
        )
    return item


def _sliced(sizes: Sequence[Dim], items: Sequence[Any], exact: bool = True) -> list[Dim | None]:
    """The sizes that are left of `sizes`; `exact` tells that indices out of range are refused."""
    result: list[Dim | None] = []
    number = sum(isinstance(item, (builtins.slice, _At)) for item in items)
    if number > len(sizes):
        raise ValueError(f"too many indices: {number} for an input of rank {len(sizes)}")
    axis = 0
    for item in items:
        if item is None:
            result.append(1)
            continue
        if item is ...:
            rest = len(sizes) - number
            result += sizes[axis : axis + rest]
            axis += rest
            continue
        n = sizes[axis]
        if isinstance(item, builtins.slice):
            result.append(_size_of_slice(item, n))
        elif isinstance(n, int):
            _checked(item)
            if exact and not -n <= item.index < n:
                raise ValueError(
                    f"begin[{item.place}] = {item.index} is not in [{-n}, {n}), the indices of "
                    f"dimension {axis}"
                )
        axis += 1
    return result


def _size_of_slice(item: builtins.slice, n: Dim) -> Dim | None:
    """How many elements of `n` a slice takes."""
    step = item.step
    if isinstance(step, DimExpr):
        return None
    start = None if item.start is None else _from_front(item.start, n, step)
    stop = None if item.stop is None else _from_front(item.stop, n, step)
    if step < 0:  # the same, seen from the other end
        start, stop = (None if bound is None else n - 1 - bound for bound in (start, stop))
        step = -step
    # min(stop, n) - max(start, 0) is the least difference of all, which simplifies better.
    starts = [0] if start is None else [0, start]
    stops = [n] if stop is None else [n, stop]
    reach = dim_min(*(b - a for a in starts for b in stops))
    return dim_max(0, (reach + step - 1) // step)


def _from_front(bound: Dim, n: Dim, step: int) -> Dim:
    """`bound` as it is, or `n` more where it is negative."""
    negative = less(bound, 0)
    if negative is None:
        missing = n - bound
        if step > 0 and isinstance(missing, int) and missing <= 2:
            return bound  # where `n - 1` or `n - 2` is negative, `n` more is still not positive
        return bound + n * dim_max(0, dim_min(1, -bound))
    return bound + n if negative else bound


@STRIDED_SLICE.shape
def _strided_slice_shape(c: ShapeContext) -> TensorShape:
    sizes: Any = c.shape("input").sizes
    c.merged("begin, end and strides", [c.shape(name, rank=1) for name in SPEC])
    strides = c.value("strides")
    if sizes is None or strides is None:
        return UNKNOWN_SHAPE
    begin, end = _elements(c, ("begin", "end"), len(strides))
    exact = c.const("begin") is not None and c.const("end") is not None
    try:
        masks = [c.attr(mask) for mask in MASKS]
        items = _items(masks, begin, end, strides.tolist())
        return TensorShape.of(tuple(_sliced(sizes, items, exact)))
    except ValueError:
        if is_symbolic(strides):
            return UNKNOWN_SHAPE  # TensorFlow leaves it to the run
        raise


def items_of(masks: Sequence[int], spec: Sequence[Array]) -> list[Any]:
    """What the inputs begin, end and strides denote."""
    if spec[0].ndim != 1 or not spec[0].shape == spec[1].shape == spec[2].shape:
        raise ValueError(
            "begin, end and strides must be vectors of one length, got shapes "
            f"{', '.join(str(list(vector.shape)) for vector in spec)}"
        )
    begin, end, strides = (vector.tolist() for vector in spec)
    return _items(masks, begin, end, strides)


@STRIDED_SLICE.kernel
def _strided_slice_kernel(c: KernelContext) -> Kernel:
    masks = [c.attr(mask) for mask in MASKS]
    spec = [value for value in map(c.const, SPEC) if value is not None]
    if len(spec) < len(SPEC):

        def slice_dynamic(x: Array, *spec: Array) -> Array:
            items = items_of(masks, spec)
            return _indexed(x, numpy_index(items), items)

        return slice_dynamic

    items = items_of(masks, spec)
    index = numpy_index(items)

    def slice_constant(x: Array, *_: Array) -> Array:
        return _indexed(x, index, items)

    return slice_constant


def _indexed(x: Array, index: tuple[Any, ...], items: Sequence[Any]) -> Array:
    try:
        result: Array = x[index]
        return result
    except IndexError:
        _sliced(x.shape, items)  # says which index is out of range
        raise


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The elements from `begin` to `end`, in steps of `strides`: `x[begin:end:strides]`.

    Each mask is a number whose bit i speaks of element i of `begin`, `end` and `strides`. Bounds
    count from the end where they are negative, and are cut to the tensor, as in NumPy.

    Args:
        input_: a tensor of any dtype and shape.
        begin: an int16, int32 or int64 vector: the first element, for each dimension.
        end: a vector like `begin`: the element before which to stop.
        strides: a vector like `begin`: the steps, of either sign; by default 1.
        begin_mask: where to start at the first element (the last, with a negative stride).
        end_mask: where to go on to the end.
        ellipsis_mask: the one element that stands for all dimensions not named.
        new_axis_mask: where to put a new dimension of size 1.
        shrink_axis_mask: where to take the single element at `begin` and drop the dimension.
        var: the variable that `input_` is the value of, if any.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `input_`.

    Raises:
        ValueError: the spec is known not to fit `input_`; what only the run can tell is an
            InvalidArgumentError.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[1, 2, 3], [4, 5, 6]])
        ...     print(session.run(td.strided_slice(x, [0, 2], [2, 0], [1, -1])))
        [[3 2]
         [6 5]]
    """
    del var  # for the assignment to a slice of a variable, which needs no op of its own here
    if strides is None:
        strides = _ones_like(begin)
    return STRIDED_SLICE(
        input_,
        begin,
        end,
        strides,
        Index=_index_dtype(begin, end, strides),
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name,
    )


def _ones_like(begin: Any) -> Any:
    if not isinstance(begin, Tensor):
        return np.ones_like(begin, dtype=int).tolist()
    length = begin.shape.with_rank(1)[0].value
    dtype = begin.dtype.base_dtype
    if length is not None:
        return np.ones(length, dtype.numpy_dtype)
    return ones_like(begin)


def _index_dtype(*vectors: Any) -> DType | None:
    """The dtype of the tensors among index vectors, which the numbers beside them take on."""
    for vector in vectors:
        items = vector if isinstance(vector, (list, tuple)) else (vector,)
        for item in items:
            if isinstance(item, Tensor):
                return item.dtype.base_dtype
    return None
