"""`td.data.Dataset`, and functions on datasets."""

from __future__ import annotations

from typing import Any

from ...graph.node import Tensor
from .dataset_functions import Functions
from .dataset_order import Ordering
from .dataset_sources import Sources
from .element_specs import from_wire, typed
from .iterator_ops import DATASET_CARDINALITY, DATASET_TO_SINGLE_ELEMENT
from .iterators import Iterator

public = {
    "td.data, td.contrib.data": "Dataset",
    "td.data.experimental, td.contrib.data": "get_single_element",
    "td.contrib.data": "AUTOTUNE",
    "td.data, td.data.experimental": "AUTOTUNE INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
    "td.data.experimental": "cardinality",
    "td.data": (
        "get_output_classes get_output_shapes get_output_types make_initializable_iterator "
        "make_one_shot_iterator"
    ),
}

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Dataset(Sources, Ordering, Functions):
    """Elements one after the other, each a structure of tensors: what a graph gets its data from.

    A dataset is part of a graph; its elements come in runs, by an iterator, one in each run. It is
    made of tensors, numbers, generators or files, and each method makes another one of it.

    Args:
        variant_tensor: the tensor that stands for it; programs call `from_tensors` and the like.
        element: what an element is.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     dataset = td.data.Dataset.range(6).map(lambda x: x * x).batch(4)
        ...     batch = dataset.make_one_shot_iterator().get_next()
        ...     print(session.run(batch), session.run(batch))
        [0 1 4 9] [16 25]
    """

    def enumerate(self, start: Any = 0) -> Any:
        """Pairs of a number, which counts, and an element.

        Args:
            start: the first number.
        """
        most = 2**63 - 1
        return Dataset.zip((Dataset.range(start, most), self))


Dataset._dataset_class = Dataset


def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    """An Iterator over a dataset that begins by itself, once in a session.

    Args:
        dataset: the Dataset.

    Raises:
        ValueError: it depends on a placeholder, or on what has state, such as a variable.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     dataset = td.data.Dataset.from_tensor_slices(["one", "two"])
        ...     word = td.data.make_one_shot_iterator(dataset).get_next()
        ...     session.run(word), session.run(word)
        (b'one', b'two')
    """
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """An Iterator over a dataset that begins whenever its `initializer` is run.

    Args:
        dataset: the Dataset, which may depend on placeholders, variables and tables.
        shared_name: the name under which graphs of sessions share it.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     most = td.placeholder(td.int64, [])
        ...     iterator = td.data.make_initializable_iterator(td.data.Dataset.range(most))
        ...     total = td.reduce_sum(iterator.get_next())
        ...     session.run(iterator.initializer, {most: 2})
        ...     session.run(total), session.run(total)
        (np.int64(0), np.int64(1))
    """
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the elements of a dataset or iterator, in their structure.

    Args:
        dataset_or_iterator: a Dataset or an Iterator.

    Example:
        >>> with td.Graph().as_default():
        ...     td.data.get_output_types(td.data.Dataset.range(3)).name
        'int64'
    """
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the elements of a dataset or iterator, in their structure.

    Args:
        dataset_or_iterator: a Dataset or an Iterator.

    Example:
        >>> with td.Graph().as_default():
        ...     rows = td.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0]])
        ...     td.data.get_output_shapes(rows.batch(8)).as_list()
        [None, 2]
    """
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the elements of a dataset or iterator, in their structure.

    Args:
        dataset_or_iterator: a Dataset or an Iterator.

    Example:
        >>> with td.Graph().as_default():
        ...     td.data.get_output_classes(td.data.Dataset.range(3)) is td.Tensor
        True
    """
    return dataset_or_iterator.output_classes


def cardinality(dataset: Dataset) -> Tensor:
    """Number of elements of a dataset, if it is known without counting.

    Args:
        dataset: the Dataset.

    Returns:
        An int64 scalar; INFINITE_CARDINALITY or UNKNOWN_CARDINALITY where it is not a number.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     dataset = td.data.Dataset.range(10).batch(4)
        ...     session.run(td.data.experimental.cardinality(dataset))
        np.int64(3)
    """
    return DATASET_CARDINALITY(dataset._variant_tensor)


def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset, as tensors; each run starts over.

    Args:
        dataset: the Dataset.

    Raises:
        InvalidArgumentError: in a run, it has no element, or several.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [None])
        ...     rows = td.data.Dataset.from_tensor_slices(x).map(lambda v: v * 2.0).batch(9)
        ...     print(session.run(td.data.experimental.get_single_element(rows), {x: [1, 2]}))
        [2. 4.]
    """
    outputs = DATASET_TO_SINGLE_ELEMENT(dataset._variant_tensor, **typed(dataset._element))
    return from_wire(dataset._element, outputs)
