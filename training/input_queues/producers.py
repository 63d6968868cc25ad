"""Input producers: queues that runners fill with strings, numbers, rows or slices each epoch."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.node import Tensor
from ...graph.scopes.collections import GraphKeys
from ...ops.array.cast import cast
from ...ops.array.identity import identity
from ...ops.array.ranges import range as range_of
from ...ops.array.shapes import shape as shape_of, size
from ...ops.common.shared_docs import shared_docs
from ...ops.debugging.assertions import Assert
from ...ops.indexing.gather import GATHER_V2
from ...ops.queues.queue_runner import QueueRunner, add_queue_runner
from ...ops.queues.queues import FIFOQueue
from ...ops.random.shuffle import random_shuffle
from ...ops.readers.files import matching_files
from ...ops.summaries.scalars_and_histograms import scalar
from ...ops.variables.variable import Variable
from ...protos import dtypes
from ...shape_inference.tensor_shape import TensorShape

public = {
    "td.train": (
        "input_producer limit_epochs match_filenames_once range_input_producer "
        "slice_input_producer string_input_producer"
    ),
    "td.io": "match_filenames_once",
}


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """The names of the files that match a pattern, as they are when variables are initialized.

    Args:
        pattern: a pattern, or a vector of some: see `td.matching_files`.
        name: a name for the variable.

    Returns:
        A local variable.

    Example:
        >>> import tempfile
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     names = td.train.match_filenames_once(tempfile.mkdtemp() + "/*.txt")
        ...     session.run(td.local_variables_initializer())
        ...     session.run(names).tolist()
        []
    """
    graph = get_default_graph()
    with graph.name_scope(name or "matching_filenames") as scope:
        return Variable(
            matching_files(pattern),
            name=scope,
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Returns a tensor a limited number of times, then raises OutOfRangeError.

    Args:
        tensor: the tensor.
        num_epochs: the number of epochs; None for no limit.
        name: a name for the op.

    Returns:
        A tensor; it counts in a local variable, which has to be initialized.

    Raises:
        ValueError: `num_epochs` is not positive.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     once = td.train.limit_epochs(td.constant(7), num_epochs=1)
        ...     session.run(td.local_variables_initializer())
        ...     session.run(once)
        ...     try:
        ...         session.run(once)
        ...     except td.errors.OutOfRangeError:
        ...         print("the end")
        np.int32(7)
        the end
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = get_default_graph()
    with graph.name_scope(name or "limit_epochs") as scope:
        zero = convert_to_tensor(0, dtypes.int64)
        epochs = Variable(
            zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        counter = epochs.count_up_to(num_epochs)
        with graph.control_dependencies([counter.op]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of the rows of a tensor, which a runner fills epoch after epoch.

    Args:
        input_tensor: the rows.
        element_shape: the shape of a row, if it is not statically known.
        num_epochs: the number of epochs; None for no limit. With it, a local
            variable has to be initialized.
        shuffle: whether the rows come in random order in each epoch.
        seed: the seed of that order.
        capacity: of the queue.
        shared_name: queues of one such name are one in a session.
        summary_name: what a summary of how full the queue is ends with; none by default.
        name: a name for the ops.
        cancel_op: the op that closes the queue at once; by default one is made.

    Returns:
        The queue. Its runner is in the collection "queue_runners".

    Raises:
        ValueError: the tensor is a scalar, or the shape of a row is unknown.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.train.input_producer([[1, 2], [3, 4]], shuffle=False).dequeue()
        ...     threads = td.train.start_queue_runners(session)
        ...     [session.run(rows).tolist() for _ in range(3)]
        [[1, 2], [3, 4], [1, 2]]
    """
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer"):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row = tensor.shape.with_rank_at_least(1)[1:].merge_with(TensorShape(element_shape))
        if not row.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            tensor = random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity,
            [tensor.dtype.base_dtype],
            [row],
            shared_name=shared_name,
            name=name or "FIFOQueueV2",
        )
        enqueued = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueued], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of strings, such as the names of files for a reader.

    Args:
        string_tensor: the strings: a vector.
        num_epochs: the number of epochs; None for no limit. With it, a local
            variable has to be initialized.
        shuffle: whether they come in random order in each epoch.
        seed: the seed of that order.
        capacity: of the queue.
        shared_name: queues of one such name are one in a session.
        name: a name for the ops.
        cancel_op: the op that closes the queue at once; by default one is made.

    Returns:
        The queue. Its runner is in the collection "queue_runners".

    Raises:
        ValueError: the vector is known to be empty.
        InvalidArgumentError: in a run, it is empty.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     name = td.train.string_input_producer(["a", "b"], 1, shuffle=False).dequeue()
        ...     session.run(td.local_variables_initializer())
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(name), session.run(name)
        (b'a', b'b')
    """
    empty = "string_input_producer requires a non-null input tensor"
    if not hasattr(string_tensor, "dtype") and not len(string_tensor):
        raise ValueError(empty)
    graph = get_default_graph()
    with graph.name_scope(name or "input_producer") as scope:
        tensor = convert_to_tensor(string_tensor, dtypes.string)
        with graph.control_dependencies([Assert(size(tensor) > 0, [empty])]):
            tensor = identity(tensor)
        return input_producer(
            tensor,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


_documented = shared_docs(
    {
        "num_epochs": "as for `string_input_producer`, like the rest.",
        "shuffle": "whether they come in random order in each epoch.",
        "seed": "the seed of that order.",
        "capacity": "of the queue.",
        "shared_name": "queues of one such name are one in a session.",
        "name": "a name for the ops.",
    },
)


@_documented
def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the numbers from 0 to a limit, without it.

    Args:
        limit: the limit: an int32 scalar.

    Returns:
        The queue. Its runner is in the collection "queue_runners".

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     numbers = td.train.range_input_producer(3, shuffle=False).dequeue_many(4)
        ...     threads = td.train.start_queue_runners(session)
        ...     print(session.run(numbers))
        [0 1 2 0]
    """
    with get_default_graph().name_scope(name or "input_producer") as scope:
        return input_producer(
            range_of(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


@_documented
def slice_input_producer(
    tensor_list: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Slices of tensors, one of each at a time, all at one place.

    Args:
        tensor_list: the tensors, of which the first dimension is the same.

    Returns:
        A tensor for each of the list, without its first dimension.

    Raises:
        ValueError: the list is empty.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x, y = td.train.slice_input_producer([[1, 2], ["a", "b"]], shuffle=False)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run([x, y]), session.run([x, y])
        ([np.int32(1), b'a'], [np.int32(2), b'b'])
    """
    with get_default_graph().name_scope(name or "input_producer"):
        tensors = [convert_to_tensor(item) for item in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        number = shape_of(tensors[0])[0]
        queue = range_input_producer(number, num_epochs, shuffle, seed, capacity, shared_name)
        place = queue.dequeue()
        # As many ops as TensorFlow's: the seeds of those behind them count ops.
        return [GATHER_V2(tensor, place, 0) for tensor in tensors]
