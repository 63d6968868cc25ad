"""Sparse tensors as strings, one by one or as rows of a batch, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...protos.dtypes import DType, as_dtype, int64, string
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..common.shared_docs import shared_docs
from ..sparse.sparse_components import as_sparse, check_indices, check_shapes, parts_named
from .decoding import parsed_tensor, serialized_tensor

if TYPE_CHECKING:
    from ...graph.op_def import Results

    Write = Callable[[Array, DType], Any]

public = {
    "td, td.io": (
        "deserialize_many_sparse deserialize_sparse serialize_many_sparse serialize_sparse"
    ),
}

_NAMES = parts_named("sparse")
_PARTS = "sparse_indices: int64, sparse_values: {}, sparse_shape: int64"
_SERIALIZING = "T: type, out_type: {string, variant} = string"
SERIALIZE_SPARSE = OpDef(
    "SerializeSparse", f"{_PARTS.format('T')} -> serialized_sparse: out_type", _SERIALIZING
)
SERIALIZE_MANY_SPARSE = OpDef(
    "SerializeManySparse", f"{_PARTS.format('T')} -> serialized_sparse: out_type", _SERIALIZING
)
DESERIALIZE_SPARSE: OpDef[Results] = OpDef(
    "DeserializeSparse",
    f"serialized_sparse: Tserialized -> {_PARTS.format('dtype')}",
    "dtype: type, Tserialized: {string, variant} = string",
)
DESERIALIZE_MANY_SPARSE: OpDef[Results] = OpDef(
    "DeserializeManySparse",
    f"serialized_sparse: string -> {_PARTS.format('dtype')}",
    "dtype: type",
)


@SERIALIZE_SPARSE.shape
def _serialize_shape(c: ShapeContext) -> TensorShape:
    check_shapes(c, _NAMES)
    return TensorShape([3])


@SERIALIZE_SPARSE.fresh_kernel
def _serialize_kernel(c: KernelContext) -> Kernel:
    dtype, write = c.attr("T"), _writer(c.attr("out_type"))

    def serialize(indices: Array, values: Array, shape: Array) -> Array:
        check_indices(indices, values, shape, _NAMES)
        return _row(indices, values, shape, dtype, write)

    return serialize


@SERIALIZE_MANY_SPARSE.shape
def _serialize_many_shape(c: ShapeContext) -> TensorShape:
    check_shapes(c, _NAMES)
    batch = shape_from_value(c, "sparse_shape")[:1]
    return TensorShape.of((None, 3) if batch.sizes is None else (*batch.sizes, 3))


@SERIALIZE_MANY_SPARSE.fresh_kernel
def _serialize_many_kernel(c: KernelContext) -> Kernel:
    dtype, write = c.attr("T"), _writer(c.attr("out_type"))

    def serialize_many(indices: Array, values: Array, shape: Array) -> Array:
        check_indices(indices, values, shape, _NAMES)
        if len(shape) < 2:
            raise ValueError(f"sparse_shape must have at least 2 sizes, got {shape.tolist()}")
        batch, _ = check_size([int(shape[0]), 3], np.dtype(object))
        starts = np.searchsorted(indices[:, 0], np.arange(batch + 1))
        late = np.diff(indices[:, 0]) < 0
        if late.any():
            place = int(late.argmax()) + 1
            raise ValueError(
                f"sparse_indices[{place}] = {indices[place].tolist()} is out of order; "
                "td.sparse_reorder puts them in order"
            )
        result = np.empty((batch, 3), object)
        for i in range(batch):
            row = slice(starts[i], starts[i + 1])
            result[i] = _row(indices[row, 1:], values[row], shape[1:], dtype, write)
        return result

    return serialize_many


def _writer(out_type: DType) -> Write:
    return serialized_tensor if out_type is string else _copied


def _copied(part: Array, dtype: DType) -> Array:
    """A variant is the array itself."""
    return part.copy()


def _row(indices: Array, values: Array, shape: Array, dtype: DType, write: Write) -> Array:
    row = np.empty(3, object)
    for i, (part, kind) in enumerate(((indices, int64), (values, dtype), (shape, int64))):
        row[i] = write(part, kind)
    return row


@DESERIALIZE_SPARSE.shape
def _deserialize_shape(c: ShapeContext) -> list[TensorShape]:
    shape = c.shape("serialized_sparse", min_rank=1)
    if shape.sizes is not None:
        c.merged("the last size of serialized_sparse and 3", [shape[-1:], TensorShape([3])])
    return [TensorShape([None, None]), TensorShape([None]), TensorShape([None])]


@DESERIALIZE_MANY_SPARSE.shape
def _deserialize_many_shape(c: ShapeContext) -> list[TensorShape]:
    c.merged("serialized_sparse and [?,3]", [c.shape("serialized_sparse"), TensorShape([None, 3])])
    return [TensorShape([None, None]), TensorShape([None]), TensorShape([None])]


@DESERIALIZE_SPARSE.fresh_kernel
@DESERIALIZE_MANY_SPARSE.fresh_kernel
def _deserialize_kernel(c: KernelContext) -> Kernel:
    dtype = c.attr("dtype")
    one_batch = c.node.definition is DESERIALIZE_MANY_SPARSE

    def deserialize(serialized: Array) -> tuple[Array, Array, Array]:
        if not serialized.ndim or serialized.shape[-1] != 3:
            raise ValueError(
                f"serialized_sparse must have 3 columns, got shape {list(serialized.shape)}"
            )
        if one_batch and serialized.ndim != 2:
            raise ValueError(
                f"serialized_sparse must be a matrix, got shape {list(serialized.shape)}"
            )
        rows = serialized.reshape(-1, 3)
        if not len(rows):
            raise ValueError("serialized_sparse must hold a sparse tensor, got none")
        parts = [_parsed(row, dtype, f"serialized_sparse[{i}]") for i, row in enumerate(rows)]
        return _batch(parts, serialized.shape[:-1])

    return deserialize


def _parsed(row: Array, dtype: DType, name: str) -> tuple[Array, Array, Array]:
    """The parts of one sparse tensor.

    Raises:
        ValueError: they are not tensors of the right dtypes, or do not fit together.
    """
    names = [f"{name}[{i}]" for i in range(3)]
    indices, values, shape = (
        _read(item, kind, part)
        for item, kind, part in zip(row, (int64, dtype, int64), names, strict=True)
    )
    check_indices(indices, values, shape, names)
    return indices, values, shape


def _read(item: Any, dtype: DType, name: str) -> Array:
    if isinstance(item, bytes):
        return parsed_tensor(item, dtype, name)
    if not isinstance(item, np.ndarray) or item.dtype != dtype.numpy_dtype:
        raise ValueError(f"{name} must hold a tensor of {dtype.name}")
    return item


def _batch(
    parts: Sequence[tuple[Array, Array, Array]], outer: tuple[int, ...]
) -> tuple[Array, Array, Array]:
    """Sparse tensors as the rows of one, as large as the largest of them."""
    ranks = {len(shape) for _, _, shape in parts}
    if len(ranks) > 1:
        raise ValueError(f"serialized_sparse must hold tensors of one rank, got {sorted(ranks)}")
    places = np.indices(outer, np.int64).reshape(len(outer), len(parts)).T
    indices = [
        np.concatenate([np.broadcast_to(place, (len(rows), len(outer))), rows], 1)
        for place, (rows, _, _) in zip(places, parts, strict=True)
    ]
    largest = np.max([shape for _, _, shape in parts], 0)
    whole = np.concatenate([np.array(outer, np.int64), largest]).astype(np.int64)
    values = np.concatenate([values for _, values, _ in parts])
    return np.concatenate(indices), values, whole


_serializing = shared_docs(
    {
        "sp_input": "a SparseTensor.",
        "out_type": "`td.string`, or `td.variant` for tensors that never leave the session.",
        "name": "a name for the op.",
    },
    raises="TypeError: `sp_input` is not a SparseTensor.",
)
_deserializing = shared_docs(
    {
        "dtype": "the dtype of the values.",
        "rank": "the rank of each sparse tensor, where it is known.",
        "name": "a name for the op.",
    },
    returns="A SparseTensor, whose first dimensions are those of the rows.",
    raises="InvalidArgumentError: at the run, a string is none that `td.serialize_sparse` makes.",
)


@_serializing
def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = string) -> Tensor:
    """A sparse tensor as three strings: its indices, its values and its shape.

    Returns:
        A Tensor [3].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     text = td.serialize_sparse(td.SparseTensor([[1]], [5], [3]))
        ...     session.run(td.deserialize_sparse(text, td.int32)).values.tolist()
        [5]
    """
    x = as_sparse(sp_input)
    parts = (x.indices, x.values, x.dense_shape)
    return SERIALIZE_SPARSE(*parts, out_type=as_dtype(out_type), name=name)


@_serializing
def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = string) -> Tensor:
    """The rows of a sparse tensor, each as three strings.

    Args:
        sp_input: a SparseTensor of rank 2 or more, its indices in order.

    Returns:
        A Tensor [rows, 3].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.serialize_many_sparse(td.SparseTensor([[1, 0]], [5], [2, 3]))
        ...     session.run(td.deserialize_many_sparse(rows, td.int32)).indices.tolist()
        [[1, 0]]
    """
    x = as_sparse(sp_input)
    parts = (x.indices, x.values, x.dense_shape)
    return SERIALIZE_MANY_SPARSE(*parts, out_type=as_dtype(out_type), name=name)


@_deserializing
def deserialize_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Deserializes results of `td.serialize_sparse`; several rows become one sparse tensor.

    Args:
        serialized_sparse: a tensor [..., 3] of strings or variants.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     text = td.serialize_sparse(td.SparseTensor([[1]], [5], [3]))
        ...     batch = td.deserialize_sparse(td.stack([text, text]), td.int32)
        ...     session.run(batch).indices.tolist()
        [[0, 1], [1, 1]]
    """
    parts = DESERIALIZE_SPARSE(serialized_sparse, dtype=as_dtype(dtype), name=name)
    return _ranked(parts, rank)


@_deserializing
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Deserializes rows of `td.serialize_many_sparse` to one sparse tensor.

    Args:
        serialized_sparse: a matrix [n, 3] of strings.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.serialize_many_sparse(td.SparseTensor([[1, 0]], [5], [2, 3]))
        ...     session.run(td.deserialize_many_sparse(rows, td.int32)).dense_shape.tolist()
        [2, 3]
    """
    parts = DESERIALIZE_MANY_SPARSE(serialized_sparse, dtype=as_dtype(dtype), name=name)
    return _ranked(parts, None if rank is None else rank + 1)


def _ranked(parts: Results, rank: int | None) -> SparseTensor:
    indices, values, shape = parts
    if rank is not None:
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
