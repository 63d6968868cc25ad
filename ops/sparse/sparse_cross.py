"""Crosses of columns: each combination of the features of a row, as a string or a bucket."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor, SparseTensorValue
from ...protos.dtypes import int64, string
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..array.cast import cast
from ..common.allocation import check_size
from ..common.shared_docs import shared_docs
from ..strings.farm_hash import fingerprint64
from ..strings.string_arrays import strings
from .sparse_components import as_sparse, check_indices

if TYPE_CHECKING:
    from ...graph.op_def import Results

    Column = list[list[Any]]

public = {"td.sparse": "cross cross_hashed"}

DEFAULT_KEY = 0xDECAFCAFFE
_WORD = (1 << 64) - 1
_FACTOR = 0xC6A4A7935BD1E995
SPARSE_CROSS: OpDef[Results] = OpDef(
    "SparseCross",
    "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types "
    "-> output_indices: int64, output_values: out_type, output_shape: int64",
    "N: int >= 0, hashed_output: bool, num_buckets: int >= 0, hash_key: int, "
    "sparse_types: list({int64, string}) >= 0, dense_types: list({int64, string}) >= 0, "
    "out_type: {int64, string}, internal_type: {int64, string}",
)


@SPARSE_CROSS.shape
def _cross_shape(c: ShapeContext) -> list[TensorShape]:
    for name, rank in (("indices", 2), ("values", 1), ("shapes", 1), ("dense_inputs", 2)):
        for i, shape in enumerate(c.shapes(name)):
            if shape.rank not in (None, rank):
                raise ValueError(f"{name}[{i}] must have rank {rank}, got shape {shape}")
    return [TensorShape([None, 2]), TensorShape([None]), TensorShape([2])]


@SPARSE_CROSS.fresh_kernel
def _cross_kernel(c: KernelContext) -> Kernel:
    number, count = c.attr("N"), len(c.attr("sparse_types"))
    if count != number:
        raise ValueError(f"values must be as many as indices, {number}, got {count}")
    combine = combining(c, c.attr("out_type") is int64)

    def cross(*parts: Array) -> tuple[Array, Array, Array]:
        sparse = parts[:number], parts[number : 2 * number], parts[2 * number : 3 * number]
        values, sizes = combine(columns_of(*sparse, parts[3 * number :]))
        batch = len(sizes)
        rows = np.repeat(np.arange(batch), sizes)
        within = np.concatenate([np.zeros(0, np.int64), *(np.arange(size) for size in sizes)])
        shape = np.array([batch, max(sizes, default=0)], np.int64)
        return np.stack([rows, within], 1).astype(np.int64), values, shape

    return cross


def combining(
    c: KernelContext, numbers: bool
) -> Callable[[Sequence[Column]], tuple[Array, list[int]]]:
    """Function that computes the crosses of all rows and their number per row.

    Args:
        c: of an op with the attrs `hashed_output`, `hash_key` and `num_buckets`.
        numbers: whether the op's result is of int64.

    Raises:
        ValueError: it is not although it is hashed, or the other way round.
    """
    hashed = c.attr("hashed_output")
    if hashed != numbers:
        raise ValueError(
            "the values must be of int64 where hashed_output is true and else strings, got "
            f"{'int64' if numbers else 'strings'}"
        )
    read: Callable[[Any], Any] = _as_number if hashed else _as_text
    join: Callable[[Any], Any] = b"_X_".join
    if hashed:
        join = _bucket_of(c.attr("hash_key") & _WORD, c.attr("num_buckets"))

    def combine(columns: Sequence[Column]) -> tuple[Array, list[int]]:
        batch = len(columns[0]) if columns else 0
        sizes = [math.prod(len(column[row]) for column in columns) for row in range(batch)]
        check_size([sum(sizes), 2], np.dtype(np.int64))
        crosses: list[Any] = []
        for row in range(batch):
            features = [[read(item) for item in column[row]] for column in columns]
            crosses += map(join, itertools.product(*features))
        values = np.array(crosses, np.int64) if hashed else strings(crosses, [len(crosses)])
        return values, sizes

    return combine


def columns_of(
    indices: Sequence[Array],
    values: Sequence[Array],
    shapes: Sequence[Array],
    dense: Sequence[Array],
    ragged: Sequence[tuple[Array, Array]] = (),
) -> list[Column]:
    """The features of each row, column by column: the ragged ones first, and the dense ones last.

    Args:
        indices: of the sparse columns.
        values: of the sparse columns.
        shapes: of the sparse columns.
        dense: matrices.
        ragged: values and splits, which have been checked.

    Raises:
        ValueError: the parts do not fit together, or the columns have other numbers of rows.
    """
    columns: list[Column] = []
    batches: list[int] = [len(items) if items.ndim == 2 else -1 for items in dense]
    if -1 in batches:
        raise ValueError(
            f"dense_inputs[{batches.index(-1)}] must be a matrix, got shape "
            f"{list(dense[batches.index(-1)].shape)}"
        )
    for i, part in enumerate(zip(indices, values, shapes, strict=True)):
        check_indices(*part, (f"indices[{i}]", f"values[{i}]", f"shapes[{i}]"))
        if len(part[2]) != 2:
            raise ValueError(f"shapes[{i}] must hold two sizes, got {part[2].tolist()}")
    sizes = [len(splits) - 1 for _, splits in ragged]
    sizes += [int(shape[0]) for shape in shapes] + batches
    if len(set(sizes)) > 1:
        raise ValueError(f"the columns must have one number of rows, got {sizes}")
    batch = check_size(sizes[:1], np.dtype(np.int64))
    for items, splits in ragged:
        row_values, ends = items.tolist(), splits.tolist()
        columns.append([row_values[a:b] for a, b in itertools.pairwise(ends)])
    for places, items in zip(indices, values, strict=True):
        column: Column = [[] for _ in range(batch[0])]
        for row, item in zip(places[:, 0].tolist(), items.tolist(), strict=True):
            column[row].append(item)
        columns.append(column)
    return [*columns, *(items.tolist() for items in dense)]


def _as_text(item: Any) -> bytes:
    return item if isinstance(item, bytes) else b"%d" % item


def _as_number(item: Any) -> int:
    return fingerprint64(item) if isinstance(item, bytes) else item & _WORD


def _shifted(x: int) -> int:
    return x ^ x >> 47


def _bucket_of(key: int, number: int) -> Callable[[Sequence[int]], int]:
    """Hash of a cross: fingerprints combined as in TensorFlow's FingerprintCat64."""

    def bucket(items: Sequence[int]) -> int:
        total = key
        for item in items:
            total ^= _FACTOR
            total ^= _shifted(item * _FACTOR & _WORD) * _FACTOR & _WORD
            total = total * _FACTOR & _WORD
            total = _shifted(total) * _FACTOR & _WORD
            total = _shifted(total)
        return total % (number or np.iinfo(np.int64).max)

    return bucket


def _crossed(inputs: Sequence[Any], name: str | None, **attrs: Any) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)) or isinstance(inputs, SparseTensorValue):
        raise TypeError(f"inputs must be a list, got {inputs!r}")
    with name_scope(name, "SparseCross"):
        sparse, dense = [], []
        for item in inputs:
            if isinstance(item, (SparseTensor, SparseTensorValue)):
                sparse.append(as_sparse(item))
            else:
                dense.append(convert_to_tensor(item))
        values = [as_feature(item.values) for item in sparse]
        numbers = any(item.dtype is int64 for item in [*values, *map(as_feature, dense)])
        return SparseTensor(
            *SPARSE_CROSS(
                [item.indices for item in sparse],
                values,
                [item.dense_shape for item in sparse],
                [as_feature(item) for item in dense],
                out_type=int64 if attrs["hashed_output"] else string,
                internal_type=int64 if numbers else string,
                **attrs,
            )
        )


def as_feature(value: Any) -> Any:
    """Features are strings, or integers in 64 bits."""
    return value if value.dtype.base_dtype is string else cast(value, int64)


_documented = shared_docs(
    {
        "inputs": "a list of SparseTensors [batch, ?] and matrices [batch, n], of strings or "
        "integers: each is a column of features.",
        "name": "a name for the scope of the ops.",
    },
    raises="TypeError: `inputs` is not a list. Columns with other numbers of rows are a ValueError "
    "at the run.",
)


@_documented
def cross(inputs: Any, name: str | None = None) -> SparseTensor:
    """Each combination of the features of a row, one of each column, joined by `_X_`.

    Returns:
        A SparseTensor [batch, ?] of strings.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.sparse.cross([[["a"]], [["b", "c"]]])).values.tolist()
        [b'a_X_b', b'a_X_c']
    """
    return _crossed(inputs, name, hashed_output=False, num_buckets=0, hash_key=DEFAULT_KEY)


@_documented
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """The hash of each combination of the features of a row, one of each column.

    The hashes are those of TensorFlow.

    Args:
        num_buckets: hashes are in [0, num_buckets); 0 stands for the largest int64.
        hash_key: an int that the hashes begin with; by default TensorFlow's.

    Returns:
        A SparseTensor [batch, ?] of int64.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.sparse.cross_hashed([[["a"]], [["b", "c"]]], 100)).values.tolist()
        [86, 66]
    """
    key = DEFAULT_KEY if hash_key is None else hash_key
    return _crossed(inputs, name, hashed_output=True, num_buckets=num_buckets, hash_key=key)
