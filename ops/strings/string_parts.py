"""Strings split at a separator, and strings joined by segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..common.call_forms import renamed
from ..math.segments import check_prefix, misplaced
from .string_arrays import joined, strings

public = {"td.strings": "split unsorted_segment_join"}

STRING_SPLIT_V2 = OpDef(
    "StringSplitV2",
    "input: string, sep: string -> indices: int64, values: string, shape: int64",
    "maxsplit: int = -1",
)
UNSORTED_SEGMENT_JOIN = OpDef(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string",
    "separator: string = '', Tindices: {int32, int64}, Tnumsegments: {int32, int64} = int32",
)


@STRING_SPLIT_V2.shape
def _string_split_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("input", rank=1)
    c.shape("sep", rank=0)
    return [TensorShape.of((None, 2)), TensorShape.of((None,)), TensorShape.of((2,))]


@STRING_SPLIT_V2.view_kernel
def _string_split_kernel(c: KernelContext) -> Kernel:
    most = c.attr("maxsplit")

    def string_split(texts: Array, sep: Array) -> tuple[Array, Array, Array]:
        if texts.ndim != 1:
            raise ValueError(f"input must have rank 1, got shape {list(texts.shape)}")
        if sep.ndim:
            raise ValueError(f"sep must have rank 0, got shape {list(sep.shape)}")
        split = _splitting(sep.item(), most)
        return as_sparse([*map(split, texts.tolist())])

    return string_split


def _splitting(separator: bytes, most: int) -> Callable[[bytes], list[bytes]]:
    """Splits `most` times at the most; without a separator, at white space."""
    if not most:
        return lambda text: [text]
    if separator:
        return lambda text: text.split(separator, most)

    def split(text: bytes) -> list[bytes]:
        parts = text.split(None, most)
        return [*parts, b""] if len(parts) == most else parts  # where Python leaves nothing

    return split


def as_sparse(rows: Sequence[Sequence[bytes]]) -> tuple[Array, Array, Array]:
    """Rows of strings as a sparse matrix: indices, values and shape."""
    values = [*chain.from_iterable(rows)]
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    indices = np.empty((len(values), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), lengths)
    indices[:, 1] = np.arange(len(values)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return (
        indices,
        strings(values, [len(values)]),
        np.array([len(rows), lengths.max(initial=0)], np.int64),
    )


@UNSORTED_SEGMENT_JOIN.shape
def _unsorted_segment_join_shape(c: ShapeContext) -> TensorShape:
    c.shape("num_segments", rank=0)
    inputs, ids = c.shape("inputs"), c.shape("segment_ids")
    number = c.scalar("num_segments")
    if isinstance(number, int) and number < 0:
        raise ValueError(f"num_segments = {number} is negative")
    if inputs.sizes is None or ids.sizes is None:
        return UNKNOWN_SHAPE
    check_prefix(c, inputs.sizes, ids.sizes)
    return TensorShape.of((number, *inputs.sizes[len(ids.sizes) :]))


@UNSORTED_SEGMENT_JOIN.view_kernel
def _unsorted_segment_join_kernel(c: KernelContext) -> Kernel:
    separator = c.attr("separator")

    def unsorted_segment_join(inputs: Array, ids: Array, num_segments: Array) -> Array:
        if num_segments.ndim:
            raise ValueError(f"num_segments must have rank 0, got {list(num_segments.shape)}")
        number = int(num_segments)
        if number < 0:
            raise ValueError(f"num_segments = {number} is negative")
        if not ids.ndim:
            raise ValueError("segment_ids must have rank at least 1, got shape ()")
        check_prefix(c, inputs.shape, ids.shape)
        rest = inputs.shape[ids.ndim :]
        check_size((number, *rest), inputs.dtype)
        wrong = (ids < 0) | (ids >= number)
        if wrong.any():
            raise misplaced("segment_ids", ids, wrong, f"in [0, {number})")
        rows = inputs.reshape(ids.size, int(np.prod(rest, dtype=np.int64)))
        parts: list[list[list[bytes]]] = [[[] for _ in rows.T] for _ in range(number)]
        for place, row in zip(ids.ravel().tolist(), rows.tolist(), strict=True):
            for some, text in zip(parts[place], row, strict=True):
                if some or text:  # TensorFlow writes no separator after nothing
                    some.append(text)
        texts = (joined(separator, some) for segment in parts for some in segment)
        return strings(texts, (number, *rest))

    return unsorted_segment_join


@renamed(source="input")
def split(
    input: TensorLike | None = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """The parts of strings around a separator, as the rows of a sparse matrix.

    They are split as Python's `str.split` does it.

    Args:
        input: a vector of strings.
        sep: the separator, a scalar string; by default white space of any length.
        maxsplit: how often to split each string at most; a negative number for no limit.
        result_type: "SparseTensor", as there are no others.
        source: the older name of `input`.
        name: a name for the op.

    Returns:
        A SparseTensor of strings, [len(input), most parts].

    Raises:
        ValueError: `input` is not a vector, `sep` not a scalar, or another type is asked for.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     parts = td.strings.split(["a,b", "c"], ",")
        ...     print(session.run(parts.values), session.run(parts.dense_shape))
        [b'a' b'b' b'c'] [2 2]
    """
    if result_type != "SparseTensor":
        raise ValueError(f"result_type = {result_type!r} is not supported: 'SparseTensor' is")
    parts = STRING_SPLIT_V2(input, "" if sep is None else sep, maxsplit=maxsplit, name=name)
    return SparseTensor(*parts)


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """For each segment its strings, joined.

    Args:
        inputs: a tensor of strings.
        segment_ids: int32 or int64: the number of the segment of each row. It may number the first
            dimensions together.
        num_segments: how many segments there are, an int32 or int64 scalar.
        separator: what stands between two strings.
        name: a name for the op.

    Returns:
        A Tensor of strings, with a row for each segment. A number outside of [0, num_segments) is
        an InvalidArgumentError at the run.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     texts = ["this", "is", "a", "test"]
        ...     joined = td.strings.unsorted_segment_join(texts, [0, 0, 1, 0], 2, " ")
        ...     print(session.run(joined))
        [b'this is test' b'a']
    """
    return UNSORTED_SEGMENT_JOIN(inputs, segment_ids, num_segments, separator=separator, name=name)
