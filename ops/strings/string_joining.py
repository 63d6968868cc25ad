"""Strings: joining, splitting, cutting out."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import getitem
from typing import Any

import numpy as np

from ...graph import registry
from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import graph_of
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...runtime import errors
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, broadcast, normal_axes, reduced
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.call_forms import renamed
from .string_arrays import joined, place_of, strings

public = {
    "td": "string_join string_split",
    "td, td.strings": "reduce_join substr",
    "td.strings": "join=string_join",
}

STRING_JOIN = OpDef(
    "StringJoin",
    "inputs: N * string -> output: string",
    "N: int >= 0, separator: string = ''",
    traits=Traits(splits="...->..."),
)
STRING_SPLIT = OpDef(
    "StringSplit",
    "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    "skip_empty: bool = true",
)
REDUCE_JOIN = OpDef(
    "ReduceJoin",
    "inputs: string, reduction_indices: int32 -> output: string",
    "keep_dims: bool = false, separator: string = ''",
)
SUBSTR = OpDef(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    "T: {int32, int64}, unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    traits=Traits(splits="...,...,...->..."),
)


@STRING_JOIN.shape
def _string_join_shape(c: ShapeContext) -> TensorShape:
    shapes = c.shapes("inputs")
    larger = [shape for shape in shapes if shape.rank != 0]
    known = [shape for shape in larger if shape.rank is not None]
    if len(known) == len(larger):
        return c.merged("inputs", larger) if larger else TensorShape([])
    return c.merged("inputs", known) if known else UNKNOWN_SHAPE


@STRING_JOIN.view_kernel
def _string_join_kernel(c: KernelContext) -> Kernel:
    separator = c.attr("separator")

    def string_join(*inputs: Array) -> Array:
        shapes = {array.shape for array in inputs if array.ndim}
        if len(shapes) > 1:
            raise ValueError(f"inputs must have equal shapes, got {sorted(map(list, shapes))}")
        shape = shapes.pop() if shapes else ()
        columns = [np.broadcast_to(array, shape).ravel().tolist() for array in inputs]
        if not columns:
            return strings([b""], ())
        return strings((joined(separator, row) for row in zip(*columns, strict=True)), shape)

    return string_join


@STRING_SPLIT.shape
def _string_split_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("input", rank=1)
    c.shape("delimiter", rank=0)
    return [TensorShape.of((None, 2)), TensorShape.of((None,)), TensorShape.of((2,))]


@STRING_SPLIT.view_kernel
def _string_split_kernel(c: KernelContext) -> Kernel:
    skip_empty = c.attr("skip_empty")

    def string_split(texts: Array, delimiter: Array) -> tuple[Array, Array, Array]:
        if texts.ndim != 1:
            raise ValueError(f"input must have rank 1, got shape {list(texts.shape)}")
        if delimiter.ndim:
            raise ValueError(f"delimiter must have rank 0, got shape {list(delimiter.shape)}")
        split = _splitting(delimiter.item())
        rows = [split(text) if text else [] for text in texts.tolist()]
        if skip_empty:
            rows = [[part for part in row if part] for row in rows]
        indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        values = [part for row in rows for part in row]
        longest = max(map(len, rows), default=0)
        return (
            np.array(indices, np.int64).reshape(-1, 2),
            strings(values, [len(values)]),
            np.array([len(texts), longest], np.int64),
        )

    return string_split


def _splitting(delimiters: bytes) -> Callable[[bytes], list[bytes]]:
    """Splits at every one of some bytes; without any, into bytes."""
    if not delimiters:
        return lambda text: [text[i : i + 1] for i in range(len(text))]
    return re.compile(b"[" + re.escape(delimiters) + b"]").split


@REDUCE_JOIN.shape
def _reduce_join_shape(c: ShapeContext) -> TensorShape:
    c.shape("reduction_indices", max_rank=1)
    axes = c.const("reduction_indices")
    known = None if axes is None else axes.reshape(-1).tolist()
    shape = c.shape("inputs")
    if known is not None and shape.rank is not None:
        _distinct(normal_axes(known, shape.rank, "reduction_indices"))
    return reduced(shape, known, c.attr("keep_dims"))


def _distinct(axes: list[int]) -> list[int]:
    if len(set(axes)) < len(axes):
        raise ValueError(f"reduction_indices must not name an axis twice, got {axes}")
    return axes


@REDUCE_JOIN.view_kernel
def _reduce_join_kernel(c: KernelContext) -> Kernel:
    separator, keep_dims = c.attr("separator"), c.attr("keep_dims")

    def reduce_join(inputs: Array, indices: Array) -> Array:
        if indices.ndim > 1:
            raise ValueError(
                f"reduction_indices must have rank at most 1, got shape {list(indices.shape)}"
            )
        try:
            axes = normal_axes(indices.ravel(), inputs.ndim, "reduction_indices")
        except ValueError as error:
            raise errors.OutOfRangeError(None, None, str(error)) from None
        _distinct(axes)
        kept = [axis for axis in range(inputs.ndim) if axis not in axes]
        shape = [inputs.shape[axis] for axis in kept]
        if keep_dims:
            shape = [1 if axis in axes else n for axis, n in enumerate(inputs.shape)]
        # The axis that is named first runs fastest.
        rows = inputs.transpose(*kept, *reversed(axes)).reshape(
            int(np.prod([inputs.shape[axis] for axis in kept], dtype=np.int64)),
            int(np.prod([inputs.shape[axis] for axis in axes], dtype=np.int64)),
        )
        return strings((joined(separator, row) for row in rows.tolist()), shape)

    return reduce_join


# A character and the bytes that continue it; what is no UTF-8 counts byte by byte.
_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*|[\x80-\xbf]")


@SUBSTR.shape
def _substr_shape(c: ShapeContext) -> TensorShape:
    window = c.merged("pos and len", [c.shape("pos"), c.shape("len")])
    return broadcast(c.shape("input"), window)


@SUBSTR.view_kernel
def _substr_kernel(c: KernelContext) -> Kernel:
    in_bytes = c.attr("unit") == b"BYTE"

    def substr(texts: Array, pos: Array, length: Array) -> Array:
        if pos.shape != length.shape:
            raise ValueError(
                "pos and len must have equal shapes, got "
                f"{list(pos.shape)} and {list(length.shape)}"
            )
        broadcast(TensorShape.of(texts.shape), TensorShape.of(pos.shape))
        arrays = np.broadcast_arrays(texts, pos, length)
        shape = arrays[0].shape
        items = [array.ravel().tolist() for array in arrays]
        if in_bytes:
            sizes = np.fromiter(map(len, items[0]), np.int64, len(items[0]))
            starts, numbers = (array.reshape(-1).astype(np.int64) for array in arrays[1:])
            if ((-sizes <= starts) & (starts <= sizes)).all():
                starts += np.where(starts < 0, sizes, 0)
                numbers = np.where(numbers < 0, sizes, np.minimum(numbers, sizes))
                parts = map(slice, starts.tolist(), (starts + numbers).tolist())
                return strings(map(getitem, items[0], parts), shape)
        results: list[bytes] = []
        for i, (text, start, number) in enumerate(zip(*items, strict=True)):
            units: Any = text if in_bytes else _CHARACTER.findall(text)
            if not -len(units) <= start <= len(units):
                raise ValueError(
                    f"{place_of('pos', i, shape)} = {start} is not in "
                    f"[{-len(units)}, {len(units)}], the bounds of {text[:80]!r}"
                )
            start = start + len(units) if start < 0 else start
            if number < 0:
                number = len(text) if in_bytes else 0
            part = units[start : start + number]
            results.append(part if in_bytes else b"".join(part))
        return strings(results, shape)

    return substr


def string_join(inputs: TensorLike, separator: str = "", name: str | None = None) -> Tensor:
    """Strings joined one by one.

    Args:
        inputs: a list of tensors of strings, of one shape; those of rank 0 join all of the others.
        separator: what stands between two strings.
        name: a name for the op.

    Returns:
        A Tensor of strings, of that shape.

    Raises:
        ValueError: the shapes differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.string_join([["a", "b"], "c"], "-")))
        [b'a-c' b'b-c']
    """
    return STRING_JOIN(inputs, separator=separator, name=name)


def string_split(source: Any, delimiter: Any = " ", skip_empty: bool = True) -> SparseTensor:
    """The parts of strings between delimiters, as the rows of a sparse matrix.

    Args:
        source: a vector of strings.
        delimiter: a scalar string, each byte of which separates parts; if it is empty, every byte
            is a part.
        skip_empty: whether to leave out empty parts.

    Returns:
        A SparseTensor of strings, [len(source), most parts]. An empty string has no parts.

    Raises:
        ValueError: `source` is not a vector, or `delimiter` not a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     parts = td.string_split(["a b", "c"])
        ...     print(session.run(parts.values), session.run(parts.dense_shape))
        [b'a' b'b' b'c'] [2 2]
    """
    return SparseTensor(*STRING_SPLIT(source, delimiter, skip_empty=skip_empty))


@renamed(reduction_indices="axis", keep_dims="keepdims")
def reduce_join(
    inputs: TensorLike,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
    keep_dims: Any = None,
    reduction_indices: Any = None,
) -> Tensor:
    """Strings joined along axes.

    Args:
        inputs: a tensor of strings.
        axis: the axes in the order in which to join: an int32 scalar or vector; by default all of
            them, row by row.
        keepdims: whether the axes stay, with size 1.
        separator: what stands between two strings.
        name: a name for the op.
        keep_dims: the older name of `keepdims`.
        reduction_indices: the older name of `axis`.

    Returns:
        A Tensor of strings.

    Raises:
        ValueError: an axis is out of range or named twice, or the rank of `inputs` is not known
            where no axis is given.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.reduce_join([["a", "b"], ["c", "d"]], 0, separator="-")))
        [b'a-c' b'b-d']
    """
    inputs = convert_to_tensor(inputs)
    axis = _all_axes(inputs) if axis is None else axis
    return REDUCE_JOIN(inputs, axis, keep_dims=bool(keepdims), separator=separator, name=name)


def _all_axes(inputs: Tensor) -> Any:
    """The axes from the last to the first: what is joined is read row by row."""
    rank = inputs.shape.rank
    if rank is not None:
        return np.arange(rank, dtype=np.int32)[::-1]
    with graph_of([inputs]).as_default():
        return registry.lookup("Range")(registry.lookup("Rank")(inputs) - 1, -1, -1)


def substr(
    input: TensorLike, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """Parts of strings.

    Args:
        input: a tensor of strings.
        pos: where each part begins, int32 or int64; negative positions count from the end.
        len: how long each part is at most, of the same shape and dtype as `pos`. Where it is
            negative, the part is the rest of the string, or with characters it is empty.
        name: a name for the op.
        unit: what is counted: "BYTE", or "UTF8_CHAR" for characters in UTF-8.

    Returns:
        A Tensor of strings, of the shape that `input` and `pos` broadcast to. A position outside
        of a string is an InvalidArgumentError at the run.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.substr(["hello", "world"], -3, 2)))
        [b'll' b'rl']
    """
    return SUBSTR(input, pos, len, unit=unit, name=name)
