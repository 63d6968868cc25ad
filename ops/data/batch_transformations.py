"""Functions for `Dataset.apply` that make batches, or state what shapes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor
from ...protos.dtypes import int64
from ...shape_inference.tensor_shape import TensorShape
from ..array.shapes import ensure_shape
from ..common.structures import flat, packed
from .batching_sparse import DENSE_TO_SPARSE_BATCH_DATASET
from .dataset import Dataset
from .dataset_base import number
from .element_specs import Leaf, leaves, typed, upto
from .transformations import documented

if TYPE_CHECKING:
    from .transformations import Transformation

public = {
    "td.data.experimental, td.contrib.data": "dense_to_sparse_batch",
    "td.contrib.data": (
        "assert_element_shape batch_and_drop_remainder padded_batch_and_drop_remainder"
    ),
}


@documented
def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Batches of tensors of different shapes as SparseTensors.

    Args:
        batch_size: how many elements make a batch.
        row_shape: the shape that all elements fit in; -1, or None, for the largest in the batch.

    Raises:
        TypeError: an element is not one tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.data.Dataset.range(1, 3).map(lambda x: td.fill([x], x))
        ...     dataset = rows.apply(td.data.experimental.dense_to_sparse_batch(2, [4]))
        ...     print(session.run(dataset.make_one_shot_iterator().get_next()).indices.tolist())
        [[0, 0], [1, 0], [1, 1]]
    """

    def apply(dataset: Dataset) -> Dataset:
        found = leaves(dataset._element)
        if not isinstance(dataset._element, Leaf) or found[0].kind is not Tensor:
            raise TypeError("`dense_to_sparse_batch` requires a dataset of single tensors")
        sizes = TensorShape(row_shape).as_list() if not isinstance(row_shape, Tensor) else None
        if sizes is None:
            shape, whole = row_shape, TensorShape(None)
        else:
            sizes = [None if n == -1 else n for n in sizes]
            shape = convert_to_tensor([-1 if n is None else n for n in sizes], int64)
            whole = TensorShape([None, *sizes])
        element = Leaf(SparseTensor, found[0].dtype, whole)
        made = DENSE_TO_SPARSE_BATCH_DATASET(
            dataset._variant_tensor, number(batch_size, "batch_size", 1), shape, **typed(element)
        )
        return dataset._new(made, element)

    return apply


@documented
def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches of elements without the last, if that is smaller.

    Args:
        batch_size: how many elements make a batch.

    Example:
        >>> with td.Graph().as_default():
        ...     batches = td.contrib.data.batch_and_drop_remainder(4)
        ...     td.data.Dataset.range(10).apply(batches).output_shapes.as_list()
        [4]
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


@documented
def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Batches of padded elements without the last, if that is smaller.

    Args:
        batch_size: how many elements make a batch.
        padded_shapes: as for `Dataset.padded_batch`.
        padding_values: as for `Dataset.padded_batch`.

    Example:
        >>> with td.Graph().as_default():
        ...     batches = td.contrib.data.padded_batch_and_drop_remainder(4, [3])
        ...     rows = td.data.Dataset.from_tensors([1, 2])
        ...     rows.apply(batches).output_shapes.as_list()
        [4, 3]
    """
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, True)


@documented
def assert_element_shape(expected_shapes: Any) -> Transformation:
    """The same elements, whose shapes must fit what is said, and are known to from here on.

    Args:
        expected_shapes: shapes, in the structure of an element.

    Example:
        >>> with td.Graph().as_default():
        ...     unknown = td.data.Dataset.from_generator(lambda: [[1, 2]], td.int32)
        ...     known = unknown.apply(td.contrib.data.assert_element_shape([2]))
        ...     known.output_shapes.as_list()
        [2]
    """

    def apply(dataset: Dataset) -> Dataset:
        shapes = [TensorShape(shape) for shape in upto(dataset._element, expected_shapes)]

        def checked(*parts: Any) -> Any:
            pairs = zip(flat(parts), shapes, strict=True)
            return packed(dataset._element, [ensure_shape(x, shape) for x, shape in pairs])

        return dataset.map(checked)

    return apply
