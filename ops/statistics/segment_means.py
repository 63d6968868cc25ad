"""Segments in further ways: means of unsorted ones, and of rows that are picked by index."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ..array.concat import concat
from ..array.constants import ones
from ..array.reshape import reshape
from ..array.shapes import rank, shape
from ..common.allocation import check_size
from ..common.elementwise import REALS
from ..indexing.gather import in_range, out_of_range
from ..math.arithmetic import maximum
from ..math.division import truediv
from ..math.exponentials import sqrt
from ..math.segments import ASCENDING, COMBINATIONS, combined, misplaced, unsorted_segment_sum

public = {
    "td": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum",
    "td.sparse": (
        "segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n "
        "segment_sum=sparse_segment_sum"
    ),
    "td, td.math": "unsorted_segment_mean unsorted_segment_sqrt_n",
}

_SUM, *_ = COMBINATIONS
_INDICES = "Tidx: {int32, int64} = int32, Tsegmentids: {int32, int64} = int32"
_FLOATS = "{bfloat16, half, float32, float64}"


def _scaled(name: str, sums: Array, counts: Array) -> Array:
    """What the sums of segments of so many rows are made into."""
    if name == "Sum":
        return sums
    divisors = np.sqrt(counts) if name == "SqrtN" else counts
    return sums / np.maximum(divisors, 1).reshape(-1, *(1,) * (sums.ndim - 1))


def _define(name: str, counted: bool) -> OpDef:
    """An op that combines, by segments, the rows that `indices` names."""
    types = f"{{{REALS}}}" if name == "Sum" else _FLOATS
    more = ", num_segments: Tnumsegments" if counted else ""
    definition = OpDef(
        f"SparseSegment{name}{'WithNumSegments' if counted else ''}",
        f"data: T, indices: Tidx, segment_ids: Tsegmentids{more} -> output: T",
        f"T: {types}, {_INDICES}, sparse_gradient: bool = false"
        + (", Tnumsegments: {int32, int64} = int32" if counted else ""),
    )

    @definition.shape
    def segments_shape(c: ShapeContext) -> TensorShape:
        sizes: Any = c.shape("data", min_rank=1).sizes
        lengths: Any = [c.shape(name, rank=1).sizes for name in ("indices", "segment_ids")]
        c.same_size("the lengths of indices and segment_ids", *[n[0] for n in lengths])
        number = None
        if counted:
            c.shape("num_segments", rank=0)
            number = c.scalar("num_segments")
        if isinstance(number, int) and number < 0:
            raise ValueError(f"num_segments = {number} is negative")
        return UNKNOWN_SHAPE if sizes is None else TensorShape.of((number, *sizes[1:]))

    @definition.fresh_kernel
    def segments_kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        inner = (
            np.dtype(np.float32) if c.output_dtype.is_floating and dtype.itemsize == 2 else dtype
        )

        def segments(data: Array, indices: Array, ids: Array, *number: Array) -> Array:
            _check(c, data, indices, ids)
            count = int(ids[-1]) + 1 if len(ids) else 0
            if number:
                count = _checked_number(number[0], count)
            check_size((count, *data.shape[1:]), data.dtype)
            rows = data.take(indices, 0).astype(inner, copy=False)
            sums = combined(_SUM, rows, ids, count, 0)
            return _scaled(name, sums, np.bincount(ids, minlength=count)).astype(dtype, copy=False)

        return segments

    return definition


def _checked_number(number: Array, least: int) -> int:
    if number.ndim:
        raise ValueError(f"num_segments must have rank 0, got {list(number.shape)}")
    if number < least:
        raise ValueError(f"num_segments = {number} is less than {least}, as segment_ids need")
    return int(number)


def _check(c: KernelContext, data: Array, indices: Array, ids: Array) -> None:
    if not data.ndim:
        raise ValueError("data must have rank at least 1, got shape ()")
    for name, vector in (("indices", indices), ("segment_ids", ids)):
        if vector.ndim != 1:
            raise ValueError(f"{name} must have rank 1, got shape {list(vector.shape)}")
    c.same_size("the lengths of indices and segment_ids", len(indices), len(ids))
    wrong = np.concatenate([ids[:1] < 0, ids[1:] < ids[:-1]])
    if wrong.any():
        raise misplaced("segment_ids", ids, wrong, ASCENDING)
    if not in_range(indices, len(data)):
        raise out_of_range("indices", indices, len(data))


_OPS = {name: (_define(name, False), _define(name, True)) for name in ("Sum", "Mean", "SqrtN")}


class SparseSegments(Protocol):
    """The public function that combines rows of segments, picked by number."""

    def __call__(
        self,
        data: TensorLike,
        indices: TensorLike,
        segment_ids: TensorLike,
        name: str | None = None,
        num_segments: Any = None,
    ) -> Tensor:
        """Adds the ops."""


def _function(name: str, public: str, does: str, printed: str) -> SparseSegments:
    """The public function of an op and its sibling with a number of segments."""
    plain, numbered = _OPS[name]

    def call(
        data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None
    ) -> Tensor:
        if num_segments is None:
            return plain(data, indices, segment_ids, name=name)
        return numbered(data, indices, segment_ids, num_segments, name=name)

    call.__name__ = call.__qualname__ = public
    call.__doc__ = f"""For each segment {does} of the rows that `indices` names.

    Args:
        data: a tensor of numbers; its rows are along the first dimension.
        indices: int32 or int64: which rows, one after another.
        segment_ids: int32 or int64: the number of the segment that each of them belongs to. They
            ascend from 0.
        name: a name for the op.
        num_segments: how many segments there are; by default as many as are named.

    Returns:
        A Tensor of the dtype of `data`, with a row for each segment; one without rows is 0. An
        index that is out of range, or numbers that do not ascend, are an InvalidArgumentError at
        the run.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.{public}([1.0, 3.0, 5.0], [0, 1, 2, 2], [0, 0, 1, 1])))
        {printed}
    """
    return call


sparse_segment_sum = _function("Sum", "sparse_segment_sum", "the sum", "[ 4. 10.]")
sparse_segment_mean = _function("Mean", "sparse_segment_mean", "the mean", "[2. 5.]")
sparse_segment_sqrt_n = _function(
    "SqrtN",
    "sparse_segment_sqrt_n",
    "the sum, over the root of their number,",
    "[2.828427 7.071068]",
)


def _counts(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """How many rows each segment has, at least 1, in a shape that broadcasts to their sums."""
    numbers = unsorted_segment_sum(ones(shape(segment_ids), data.dtype), segment_ids, num_segments)
    left = rank(data) - rank(segment_ids)
    sizes = concat([[num_segments], ones([left], "int32")], 0)
    return maximum(reshape(numbers, sizes), 1)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """For each segment the mean of its rows.

    Args:
        data: a tensor of floats or complex numbers.
        segment_ids: int32 or int64: the number of the segment of each row. It may number the first
            dimensions together; negative rows are left out.
        num_segments: how many segments there are, an int32 scalar.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the dtype of `data`, with a row for each segment; one without rows is 0.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.unsorted_segment_mean([2.0, 4.0, 7.0], [1, 1, 0], 2)))
        [7. 3.]
    """
    with name_scope(name, "UnsortedSegmentMean"):
        data = convert_to_tensor(data)
        ids = convert_to_tensor(segment_ids)
        sums = unsorted_segment_sum(data, ids, num_segments)
        return truediv(sums, _counts(data, ids, num_segments))


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """For each segment the sum of its rows, over the root of their number.

    Args:
        data: a tensor of floats or complex numbers.
        segment_ids: int32 or int64: the number of the segment of each row. It may number the first
            dimensions together; negative rows are left out.
        num_segments: how many segments there are, an int32 scalar.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the dtype of `data`, with a row for each segment; one without rows is 0.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.unsorted_segment_sqrt_n([2.0, 4.0, 7.0], [1, 1, 0], 2)))
        [7.       4.242641]
    """
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data = convert_to_tensor(data)
        ids = convert_to_tensor(segment_ids)
        sums = unsorted_segment_sum(data, ids, num_segments)
        return truediv(sums, sqrt(_counts(data, ids, num_segments)))
