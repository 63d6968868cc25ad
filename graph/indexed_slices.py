"""Indexed slices: some rows of a tensor with their indices."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..protos.dtypes import DType, as_dtype
from ..shape_inference.tensor_shape import TensorShape
from .constant_value import constant_value_as_shape
from .convert import convert_to_tensor
from .graph import Graph
from .node import Operation, Tensor, session_for

public = {"td": "IndexedSlices IndexedSlicesValue convert_to_tensor_or_indexed_slices"}


class IndexedSlicesValue(NamedTuple):
    """Value of an IndexedSlices, as a session returns it and as it is fed.

    Args:
        values: array of shape [n, ...]: the rows.
        indices: integer array of shape [n]: the index of each row.
        dense_shape: integer array: the shape of the whole, or None if unknown.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.IndexedSlices(td.ones([2, 3]), td.constant([0, 4]))
        ...     value = td.IndexedSlicesValue([[1, 2, 3], [4, 5, 6]], [0, 7])
        ...     session.run(rows, {rows: value}).indices.tolist()
        [0, 7]
    """

    values: Any
    indices: Any
    dense_shape: Any = None


class IndexedSlices:
    """Some rows of a tensor, as a tensor of rows and a vector of their indices.

    Rows with the same index are summed.

    Args:
        values: tensor of shape [n, ...]: the rows.
        indices: integer tensor of shape [n]: the index of each row.
        dense_shape: integer vector: the shape of the whole; None if it is not needed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.IndexedSlices([[1.0, 2.0], [3.0, 4.0]], [2, 0], [3, 2])
        ...     print(session.run(rows).indices)
        ...     print(session.run(td.convert_to_tensor(rows)))
        [2 0]
        [[3. 4.]
         [0. 0.]
         [1. 2.]]
    """

    __slots__ = ("__dict__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values, name="values")
        self._indices = convert_to_tensor(indices, name="indices")
        self._dense_shape = (
            None if dense_shape is None else convert_to_tensor(dense_shape, name="dense_shape")
        )

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Index of each row."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole, as far as it is known before a run."""
        if self._dense_shape is None:
            return TensorShape(None)
        return constant_value_as_shape(self._dense_shape)

    def eval(self, feed_dict: Any = None, session: Any = None) -> IndexedSlicesValue:
        """Computes the tensors in one run of `session` or the default session.

        Args:
            feed_dict: values for tensors, as for `Session.run`.
            session: the session.
        """
        session = session_for(session, self.graph, "evaluate a tensor", "t.eval(session=sess)")
        value: IndexedSlicesValue = session.run(self, feed_dict)
        return value

    def consumers(self) -> list[Operation]:
        """The ops that take the rows."""
        return self._values.consumers()

    @property
    def name(self) -> str:
        """The name of the rows."""
        return self._values.name

    @property
    def dtype(self) -> DType:
        """The dtype of the rows."""
        return self._values.dtype

    @property
    def op(self) -> Operation:
        """The operation that makes the rows."""
        return self._values.op

    @property
    def device(self) -> str:
        """The device string of that operation."""
        return self._values.device

    @property
    def graph(self) -> Graph:
        """The graph of the tensors."""
        return self._values.graph

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(values={self._values!r}, indices={self._indices!r}, "
            f"dense_shape={self._dense_shape!r})"
        )


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """Returns IndexedSlices unchanged; converts other values to tensors.

    Args:
        value: IndexedSlices, or anything that makes a tensor.
        dtype: the dtype of the result.
        name: the name of an op that is made.

    Raises:
        TypeError: the value has another dtype.

    Example:
        >>> with td.Graph().as_default():
        ...     td.convert_to_tensor_or_indexed_slices([1, 2]).shape.as_list()
        [2]
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and value.dtype != as_dtype(dtype):
        raise TypeError(f"expected slices of dtype {as_dtype(dtype).name}, got {value.dtype.name}")
    return value
