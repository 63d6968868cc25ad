"""Datasets in files, and tensors of their examples: `td.contrib.slim.dataset` and related."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....formats.gfile import Glob
from ....graph.default_scopes import name_scope
from ....ops.array.cast import to_float
from ....ops.common.shared_docs import shared_docs
from ....ops.queues.queue_runner import QueueRunner, add_queue_runner
from ....ops.queues.queues import FIFOQueue, RandomShuffleQueue
from ....ops.summaries.scalars_and_histograms import scalar
from ....protos.dtypes import string
from ....training.input_queues.producers import string_input_producer
from .tfexample_decoder import DataDecoder

public = {
    "td.contrib.slim.data_provider": "DataProvider",
    "td.contrib.slim.dataset": "Dataset",
    "td.contrib.slim.dataset_data_provider": "DatasetDataProvider",
    "td.contrib.slim.parallel_reader": "get_data_files parallel_read single_pass_read",
}


class Dataset:
    """A set of data: where it is, and how it is read and taken apart.

    Args:
        data_sources: a pattern of files, or several.
        reader: the class of its readers, such as `td.TFRecordReader`.
        decoder: the decoder of its records.
        num_samples: number of examples.
        items_to_descriptions: a description of each item.
        **kwargs: further attributes.

    Example:
        >>> data = td.contrib.slim.dataset.Dataset("*.rec", None, None, 10, {}, num_classes=3)
        >>> data.num_samples, data.num_classes
        (10, 3)
    """

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: int | None,
        items_to_descriptions: Mapping[str, str] | None,
        **kwargs: Any,
    ) -> None:
        stated = {
            "data_sources": data_sources,
            "reader": reader,
            "decoder": decoder,
            "num_samples": num_samples,
            "items_to_descriptions": items_to_descriptions,
        }
        self.__dict__.update(kwargs)
        self.__dict__.update(stated)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the dataset has no attribute {name!r}")


def get_data_files(data_sources: Any) -> list[str]:
    """The files that patterns match.

    Args:
        data_sources: a pattern, or several.

    Raises:
        ValueError: there are none.

    Example:
        >>> td.contrib.slim.parallel_reader.get_data_files("no/such/*")
        Traceback (most recent call last):
            ...
        ValueError: get_data_files: data_sources = 'no/such/*' match no file
    """
    patterns = [data_sources] if isinstance(data_sources, str) else list(data_sources)
    paths = [path for pattern in patterns for path in Glob(pattern)]
    if not paths:
        raise ValueError(f"data_sources = {data_sources!r} match no file")
    return paths


_documented = shared_docs(
    {
        "data_sources": "a pattern of files, or several.",
        "scope": "a scope for the ops.",
    },
    returns="Two string Tensors.",
    raises="ValueError: there are no files.",
)


@_documented
def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Mapping[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Sequence[Any] | None = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> tuple[Any, Any]:
    """The key and the value of a record, of files that several readers read.

    Args:
        reader_class: the class of the readers.
        num_epochs: number of times each file is read; by default without end.
        num_readers: number of readers.
        reader_kwargs: arguments of the readers.
        shuffle: whether files and records come in random order.
        dtypes: the dtypes of key and value.
        capacity: capacity of the queue.
        min_after_dequeue: minimum number left in the queue, for a random order.
        seed: a seed for the order.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.rec")
        >>> with td.python_io.TFRecordWriter(path) as writer:
        ...     writer.write(b"one")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     key, value = td.contrib.slim.parallel_reader.parallel_read(
        ...         path, td.TFRecordReader, num_readers=1, shuffle=False
        ...     )
        ...     with td.contrib.slim.queues.QueueRunners(session):
        ...         session.run(value)
        b'one'
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        names = string_input_producer(files, num_epochs, shuffle, seed, name="filenames")
        kinds = list(dtypes or [string, string])
        if shuffle:
            queue: Any = RandomShuffleQueue(
                capacity, min_after_dequeue, kinds, [[], []], seed=seed, name="common_queue"
            )
        else:
            queue = FIFOQueue(capacity, kinds, [[], []], name="common_queue")
        readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        filling = [queue.enqueue(reader.read(names)) for reader in readers]
        add_queue_runner(QueueRunner(queue, filling))
        scalar(f"fraction_of_{capacity}_full", to_float(queue.size()) * (1.0 / capacity))
        key, value = queue.dequeue()
        return key, value


@_documented
def single_pass_read(
    data_sources: Any,
    reader_class: Any,
    reader_kwargs: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> tuple[Any, Any]:
    r"""The key and the value of a record, of files that are read once, in order.

    Args:
        reader_class: the class of the reader.
        reader_kwargs: its arguments.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one\n")
        >>> with td.Graph().as_default():
        ...     td.contrib.slim.parallel_reader.single_pass_read(path, td.TextLineReader)[1].dtype
        td.string
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        names = string_input_producer(files, num_epochs=1, shuffle=False, name="filenames")
        key, value = reader_class(**(reader_kwargs or {})).read(names)
        return key, value


class DataProvider:
    """Items, and tensors of an example for them.

    Args:
        items_to_tensors: the tensors by the names of items.
        num_samples: number of examples.

    Example:
        >>> provider = td.contrib.slim.data_provider.DataProvider({"a": 1, "b": 2}, 10)
        >>> provider.get(["b"]), provider.list_items(), provider.num_samples()
        ([2], ['a', 'b'], 10)
    """

    def __init__(self, items_to_tensors: Mapping[str, Any], num_samples: int | None) -> None:
        self._items, self._num_samples = items_to_tensors, num_samples

    def get(self, items: Sequence[str]) -> list[Any]:
        """The tensors of some items.

        Raises:
            ValueError: there is no such item.
        """
        unknown = [item for item in items if item not in self._items]
        if unknown:
            raise ValueError(f"there is no item {unknown[0]!r}; there are {self.list_items()}")
        return [self._items[item] for item in items]

    def list_items(self) -> list[str]:
        """The names of all items."""
        return list(self._items)

    def num_samples(self) -> int | None:
        """Number of examples."""
        return self._num_samples


class DatasetDataProvider(DataProvider):
    """The items of a dataset's next example, read by threads.

    Args:
        dataset: the Dataset.
        num_readers: number of readers.
        reader_kwargs: their arguments.
        shuffle: whether examples come in random order.
        num_epochs: number of times each is read; by default without end.
        common_queue_capacity: capacity of the queue.
        common_queue_min: minimum number left in the queue, for a random order.
        record_key: the name of the item that is the key of the record.
        seed: a seed for the order.
        scope: a scope for the ops.

    Raises:
        ValueError: there are no files, or an item is called as the key.

    Example:
        >>> import os, tempfile
        >>> slim = td.contrib.slim
        >>> path = os.path.join(tempfile.mkdtemp(), "a.rec")
        >>> feature = td.train.Feature(int64_list=td.train.Int64List(value=[3]))
        >>> example = td.train.Example(features=td.train.Features(feature={"n": feature}))
        >>> with td.python_io.TFRecordWriter(path) as writer:
        ...     writer.write(example.SerializeToString())
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     decoder = slim.tfexample_decoder.TFExampleDecoder(
        ...         {"n": td.FixedLenFeature([], td.int64)},
        ...         {"number": slim.tfexample_decoder.Tensor("n")},
        ...     )
        ...     data = slim.dataset.Dataset(path, td.TFRecordReader, decoder, 1, {})
        ...     provider = slim.dataset_data_provider.DatasetDataProvider(data, shuffle=False)
        ...     (number,) = provider.get(["number"])
        ...     with slim.queues.QueueRunners(session):
        ...         session.run(number)
        np.int64(3)
    """

    def __init__(
        self,
        dataset: Dataset,
        num_readers: int = 1,
        reader_kwargs: Mapping[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            dataset.reader,
            num_epochs,
            num_readers,
            reader_kwargs,
            shuffle,
            None,
            common_queue_capacity,
            common_queue_min,
            seed,
            scope,
        )
        decoder: DataDecoder = dataset.decoder
        items = decoder.list_items()
        if record_key in items:
            raise ValueError(f"record_key = {record_key!r} is the name of an item")
        tensors = decoder.decode(data, items)
        super().__init__(
            {**dict(zip(items, tensors, strict=True)), record_key: key}, dataset.num_samples
        )
