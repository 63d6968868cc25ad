"""Rows of different lengths in one tensor: `td.RaggedTensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ...graph.sparse_tensor import Composite, SparseTensor
from ...protos.dtypes import DType, as_dtype, int32, int64
from ...shape_inference.tensor_shape import TensorShape
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import zeros
from ..array.ranges import range as numbers
from ..array.reshape import reshape
from ..array.shapes import shape as shape_of
from ..indexing.gather import gather
from ..indexing.masks import boolean_mask, sequence_mask
from ..math.comparison import not_equal
from ..math.cumsum import cumsum
from ..math.reductions import reduce_max
from ..sorting.sort import searchsorted
from .ragged_to_dense import RAGGED_TENSOR_TO_SPARSE, RAGGED_TENSOR_TO_TENSOR
from .ragged_value import RaggedTensorValue

public = {"td": "RaggedTensor"}


class RaggedTensor(Composite):
    """A tensor whose rows have different lengths: all of them in one tensor, and where each ends.

    Made by `from_row_splits` and the like, or by `td.ragged.constant`; sessions fetch it as a
    `td.ragged.RaggedTensorValue`, and are fed one.

    Args:
        values: the rows one after the other: a tensor, or a RaggedTensor.
        row_splits: where rows begin and end in it: int64 or int32, one longer than there are rows.

    Raises:
        ValueError: the splits are no vector, or the values a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 0, 1])
        ...     session.run(x).to_list(), session.run(x.to_tensor(-1.0)).tolist()
        ([[1.0, 2.0], [], [3.0]], [[1.0, 2.0], [-1.0, -1.0], [3.0, -1.0]])
    """

    __slots__ = ("_row_splits", "_values")

    def __init__(self, values: Any, row_splits: Any) -> None:
        self._values = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        self._row_splits = _splits(row_splits)
        self._row_splits.shape.with_rank(1)
        if isinstance(self._values, RaggedTensor):
            return
        self._values.shape.with_rank_at_least(1)

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """The rows that lie between `row_splits[i]` and `row_splits[i + 1]`.

        Args:
            values: the values.
            row_splits: the splits.
            name: a scope for the ops.
            validate: accepted for TensorFlow's sake, here and in the methods below.
        """
        with name_scope(name, "RaggedFromRowSplits"):
            return cls(values, row_splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """The rows that have these lengths, one after the other."""
        with name_scope(name, "RaggedFromRowLengths"):
            lengths = _splits(row_lengths)
            return cls(values, concat([[0], cumsum(lengths)], 0))

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """The rows whose numbers, never falling, stand beside their values.

        Args:
            values: the values.
            value_rowids: the number of the row of each.
            nrows: how many rows there are; by default one more than the last number.
            name: a scope for the ops.
            validate: accepted.
        """
        with name_scope(name, "RaggedFromValueRowIds"):
            rows = _splits(value_rowids)
            if nrows is None:
                nrows = reduce_max(concat([[-1], rows], 0)) + 1
            return cls(
                values, searchsorted(rows, numbers(cast(nrows, rows.dtype) + 1), "left", rows.dtype)
            )

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """The rows that begin there; each ends where the next one begins."""
        with name_scope(name, "RaggedFromRowStarts"):
            starts = _splits(row_starts)
            return cls(values, concat([starts, [_count(values, starts.dtype)]], 0))

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """The rows that end there; each begins where the one before it ends."""
        with name_scope(name, "RaggedFromRowLimits"):
            return cls(values, concat([[0], _splits(row_limits)], 0))

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows, by the splits of each dimension from the outermost.

        Raises:
            ValueError: there are no splits.
        """
        if not len(nested_row_splits):
            raise ValueError("nested_row_splits has no elements")
        with name_scope(name, "RaggedFromNestedRowSplits"):
            *outer, inner = nested_row_splits
            ragged = cls(flat_values, inner)
            for splits in reversed(outer):
                ragged = cls(ragged, splits)
            return ragged

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows, by the lengths in each dimension from the outermost.

        Raises:
            ValueError: there are no lengths.
        """
        if not len(nested_row_lengths):
            raise ValueError("nested_row_lengths has no elements")
        with name_scope(name, "RaggedFromNestedRowLengths"):
            ragged = flat_values
            for lengths in reversed(nested_row_lengths):
                ragged = cls.from_row_lengths(ragged, lengths)
            return ragged

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows, by the numbers of rows in each dimension from the outermost.

        Args:
            flat_values: the innermost values.
            nested_value_rowids: for each dimension the number of the row of each value.
            nested_nrows: for each how many rows there are; by default one more than the last.
            name: a scope for the ops.
            validate: accepted.

        Raises:
            ValueError: there are no numbers, or not as many counts.
        """
        if not len(nested_value_rowids):
            raise ValueError("nested_value_rowids has no elements")
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(nested_value_rowids):
            raise ValueError(
                f"nested_nrows has {len(counts)} elements, nested_value_rowids has "
                f"{len(nested_value_rowids)}: they must be as many"
            )
        with name_scope(name, "RaggedFromNestedValueRowIds"):
            ragged = flat_values
            for rows, count in zip(reversed(nested_value_rowids), reversed(counts), strict=True):
                ragged = cls.from_value_rowids(ragged, rows, count)
            return ragged

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = "int64",
    ) -> RaggedTensor:
        """The rows of a tensor, without what lies behind their ends.

        Args:
            tensor: a tensor of rank 2 or more.
            lengths: how much of each row counts; by default all of it.
            padding: what is left out where it stands at the end of a row of scalars.
            ragged_rank: the number of dimensions that become ragged; all but the last of them
                keep their size.
            name: a scope for the ops.
            row_splits_dtype: the dtype of the splits.

        Raises:
            ValueError: both `lengths` and `padding` are given, `ragged_rank` is less than 1, or it
                is larger with `lengths`.
        """
        if lengths is not None and padding is not None:
            raise ValueError("lengths and padding cannot both be given")
        if ragged_rank < 1 or (ragged_rank > 1 and lengths is not None):
            raise ValueError(f"ragged_rank must be at least 1, and 1 with lengths: {ragged_rank}")
        if as_dtype(row_splits_dtype) != int64:
            made = cls.from_tensor(tensor, lengths, padding, ragged_rank, name)
            return made.with_row_splits_dtype(row_splits_dtype)
        with name_scope(name, "RaggedFromTensor"):
            dense = convert_to_tensor(tensor)
            if ragged_rank > 1:
                whole = shape_of(dense, out_type="int64")
                rows = reshape(dense, concat([[-1], whole[2:]], 0))
                inner = cls.from_tensor(rows, None, padding, ragged_rank - 1)
                return cls(inner, numbers(whole[0] + 1) * whole[1])
            sizes = shape_of(dense, out_type="int64")
            if padding is not None:
                places = numbers(sizes[1]) + 1
                lengths = reduce_max(cast(not_equal(dense, padding), "int64") * places, axis=1)
            elif lengths is None:
                lengths = sizes[1] + 0 * numbers(sizes[0])
            counted = sequence_mask(lengths, sizes[1])
            return cls.from_row_lengths(boolean_mask(dense, counted), lengths)

    @classmethod
    def from_sparse(
        cls, st_input: SparseTensor, name: str | None = None, row_splits_dtype: Any = "int64"
    ) -> RaggedTensor:
        """The rows of a sparse matrix whose elements stand at the beginnings of rows, in order."""
        with name_scope(name, "RaggedFromSparse"):
            rows = st_input.indices[:, 0]
            made = cls.from_value_rowids(st_input.values, rows, st_input.dense_shape[0])
            return made.with_row_splits_dtype(row_splits_dtype)

    @property
    def values(self) -> Any:
        """The rows one after the other."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Row boundaries in `values`."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a Tensor."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all ragged dimensions, from the outermost."""
        inner = self._values
        return (
            self._row_splits,
            *(inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()),
        )

    @property
    def ragged_rank(self) -> int:
        """Number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape; None for what differs from row to row."""
        splits = self._row_splits.shape[0].value
        inner = self._values.shape
        if inner.rank is None:
            return inner
        return TensorShape([None if splits is None else splits - 1, None, *inner.as_list()[1:]])

    def nrows(self, out_type: Any = "int64", name: str | None = None) -> Tensor:
        """Number of rows."""
        return cast(shape_of(self._row_splits)[0] - 1, out_type, name=name)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Start of each row in `values`."""
        with name_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """End of each row in `values`."""
        with name_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]

    def get_shape(self) -> TensorShape:
        """The older form of `shape`."""
        return self.shape

    def consumers(self) -> list[Operation]:
        """The operations that take one of its tensors."""
        return list(dict.fromkeys(op for tensor in self.parts() for op in tensor.consumers()))

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Length of each row; with another axis the lengths in that dimension, in rows.

        Args:
            axis: the dimension.
            name: a scope for the ops.
        """
        with name_scope(name, "RaggedRowLengths"):
            if axis == 0:
                return self.nrows(self._row_splits.dtype)
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            inner = self._values
            if isinstance(inner, RaggedTensor):
                return self.with_values(inner.row_lengths(axis - 1))
            sizes = shape_of(inner, out_type=self._row_splits.dtype)
            return self.with_values(zeros(sizes[: axis - 1], sizes.dtype) + sizes[axis - 1])

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of all ragged dimensions, from the outermost."""
        with name_scope(name, "RaggedNestedRowLengths"):
            return tuple(part.row_lengths() for part in self._nested())

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The numbers of rows of all ragged dimensions, from the outermost."""
        with name_scope(name, "RaggedNestedValueRowIds"):
            return tuple(part.value_rowids() for part in self._nested())

    def _nested(self) -> list[RaggedTensor]:
        inner = self._values
        return [self, *(inner._nested() if isinstance(inner, RaggedTensor) else ())]

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same rows, with splits of another dtype.

        Args:
            dtype: int32 or int64.

        Raises:
            ValueError: it is another one.
        """
        wanted = as_dtype(dtype)
        if wanted not in (int32, int64):
            raise ValueError(f"dtype must be int32 or int64, got {wanted.name}")
        if self._row_splits.dtype == wanted:
            return self
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(wanted)
        return RaggedTensor(inner, cast(self._row_splits, wanted))

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each of `values` the number of its row."""
        with name_scope(name, "RaggedValueRowIds"):
            dtype = self._row_splits.dtype
            places = numbers(self._row_splits[-1])
            return searchsorted(self._row_splits, places, "right", dtype) - 1

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values."""
        return RaggedTensor(new_values, self._row_splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other innermost values."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A Tensor whose rows are as long as the longest.

        Args:
            default_value: padding after the ends of rows; by default 0 or an empty string.
            name: a name for the op.
            shape: the shape; what does not fit in is left out.
        """
        flat = self.flat_values
        empty: Any = b"" if flat.dtype.name == "string" else np.zeros((), flat.dtype.numpy_dtype)
        default = convert_to_tensor(empty if default_value is None else default_value, flat.dtype)
        sizes = (
            [-1]
            if shape is None
            else [-1 if n is None else n for n in TensorShape(shape).as_list()]
        )
        wanted: Any = np.array(-1 if shape is None else sizes, np.int64)
        splits = [cast(part, "int64") for part in self.nested_row_splits]
        kinds = [b"ROW_SPLITS"] * len(splits)
        return RAGGED_TENSOR_TO_TENSOR(
            wanted, flat, default, splits, row_partition_types=kinds, name=name
        )

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A SparseTensor of what is there."""
        sparse = RAGGED_TENSOR_TO_SPARSE(list(self.nested_row_splits), self.flat_values, name=name)
        return SparseTensor(*sparse)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest Tensor that has room for all rows.

        Args:
            axis: a dimension, or several, whose sizes are wanted; by default all.
            name: a scope for the ops.
            out_type: the dtype of the result; by default int64.
        """
        with name_scope(name, "RaggedBoundingBox"):
            if out_type is not None:
                return cast(self.bounding_shape(axis), out_type)
            if axis is not None:
                return gather(self.bounding_shape(), axis)
            inner = self._values
            below = (
                inner.bounding_shape()[1:]
                if isinstance(inner, RaggedTensor)
                else shape_of(inner, out_type="int64")[1:]
            )
            longest = reduce_max(concat([[0], cast(self.row_lengths(), "int64")], 0))
            return concat([[self.nrows()], [longest], below], 0)

    def __getitem__(self, key: Any) -> Any:
        """A row, or rows from one to another."""
        splits = self._row_splits
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise ValueError(f"rows are taken one after the other, not by steps of {key.step}")
            ends = concat([splits[:-1][key], splits[1:][key][-1:]], 0)
            begin, end = reduce_max(ends[:1]), reduce_max(ends[-1:])
            return RaggedTensor(self._values[begin:end], ends - begin)
        return self._values[splits[:-1][key] : splits[1:][key]]

    def parts(self) -> list[Tensor]:
        """The innermost values, and the splits of each dimension."""
        return [self.flat_values, *self.nested_row_splits]

    def value_of(self, parts: Sequence[Any]) -> RaggedTensorValue:
        """Value as returned by a session."""
        flat, *splits = parts
        for ends in reversed(splits):
            flat = RaggedTensorValue(flat, ends)
        return flat

    def values_fed(self, value: Any) -> Sequence[Any]:
        """The values of the tensors, of a RaggedTensorValue.

        Raises:
            TypeError: it is none, or has another number of ragged dimensions.
        """
        if not isinstance(value, RaggedTensorValue) or value.ragged_rank != self.ragged_rank:
            raise TypeError(
                f"a RaggedTensor is fed a RaggedTensorValue of ragged rank {self.ragged_rank}, "
                f"got {value!r}"
            )
        return [value.flat_values, *value.nested_row_splits]

    def eval(self, feed_dict: Any = None, session: Any = None) -> RaggedTensorValue:
        """Computes it in `session`, or the default session."""
        return self.value_of([part.eval(feed_dict, session) for part in self.parts()])

    def __repr__(self) -> str:
        return f"RaggedTensor(values={self._values!r}, row_splits={self._row_splits!r})"


def _splits(given: Any) -> Tensor:
    """A vector of int32 if it is one already, and of int64 otherwise."""
    tensor = convert_to_tensor(given, None if hasattr(given, "dtype") else "int64")
    return tensor if tensor.dtype.name == "int32" else cast(tensor, "int64")


def _count(values: Any, dtype: DType) -> Tensor:
    whole = (
        values.nrows(dtype)
        if isinstance(values, RaggedTensor)
        else shape_of(values, out_type=dtype)[0]
    )
    return reshape(whole, [])
