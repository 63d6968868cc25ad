"""Batches: tensors of single examples go into a queue, and come out many at a time."""

from __future__ import annotations

from typing import Any

from .batch_queues import BatchPlan, batched

public = {"td.train": "batch batch_join maybe_batch maybe_batch_join"}


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples, in their order.

    Args:
        tensors: a list or dict of tensors: one example.
        batch_size: how many examples a batch has: an int or int32 scalar.
        num_threads: how many threads fill the queue.
        capacity: of the queue.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
        dynamic_pad: whether tensors of one example may differ in size; they are padded with
            zeros.
        allow_smaller_final_batch: whether a last batch of fewer examples is given out.
        shared_name: queues of one such name are one in a session.
        name: a name for the ops.

    Returns:
        A structure as that of one example, of batches: a list, a dict, or a tensor where there is
        one. The runner of the queue is in the collection "queue_runners".

    Raises:
        ValueError: there are no tensors, or the rank of one is not known.
        OutOfRangeError: in a run, there are no more examples.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.batch([number], 3)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).tolist()
        [0, 1, 2]
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        pads=dynamic_pad,
    )  # fmt: skip
    return batched(plan, [tensors], True, num_threads, name, "batch")


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of those examples that are to be kept: as `batch`.

    Args:
        tensors: a list or dict of tensors: one example.
        keep_input: whether to keep an example: a bool scalar; with `enqueue_many` also a vector.
        batch_size: how many examples a batch has: an int or int32 scalar.
        num_threads: how many threads fill the queue.
        capacity: of the queue.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
        dynamic_pad: whether tensors of one example may differ in size; they are padded with
            zeros.
        allow_smaller_final_batch: whether a last batch of fewer examples is given out.
        shared_name: queues of one such name are one in a session.
        name: a name for the ops.

    Returns:
        A structure as that of one example, of batches: a list, a dict, or a tensor where there is
        one. The runner of the queue is in the collection "queue_runners".

    Raises:
        ValueError: there are no tensors, or the rank of one is not known.
        OutOfRangeError: in a run, there are no more examples.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.maybe_batch([number], number < 5, 3)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).tolist()
        [0, 1, 2]
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        pads=dynamic_pad,
    )  # fmt: skip
    return batched(plan, [tensors], keep_input, num_threads, name, "batch")


def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples that several sources give.

    Args:
        tensors_list: a list of lists or dicts of tensors: what several sources give, each of which
            gets a thread.
        batch_size: how many examples a batch has: an int or int32 scalar.
        capacity: of the queue.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
        dynamic_pad: whether tensors of one example may differ in size; they are padded with
            zeros.
        allow_smaller_final_batch: whether a last batch of fewer examples is given out.
        shared_name: queues of one such name are one in a session.
        name: a name for the ops.

    Returns:
        A structure as that of one example, of batches: a list, a dict, or a tensor where there is
        one. The runner of the queue is in the collection "queue_runners".

    Raises:
        ValueError: there are no tensors, or the rank of one is not known.
        OutOfRangeError: in a run, there are no more examples.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.batch_join([[number], [number]], 3)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        pads=dynamic_pad,
    )  # fmt: skip
    return batched(plan, tensors_list, True, 1, name, "batch_join")


def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of those examples of several sources that are to be kept.

    Args:
        tensors_list: a list of lists or dicts of tensors: what several sources give, each of which
            gets a thread.
        keep_input: whether to keep an example: a bool scalar; with `enqueue_many` also a vector.
        batch_size: how many examples a batch has: an int or int32 scalar.
        capacity: of the queue.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
        dynamic_pad: whether tensors of one example may differ in size; they are padded with
            zeros.
        allow_smaller_final_batch: whether a last batch of fewer examples is given out.
        shared_name: queues of one such name are one in a session.
        name: a name for the ops.

    Returns:
        A structure as that of one example, of batches: a list, a dict, or a tensor where there is
        one. The runner of the queue is in the collection "queue_runners".

    Raises:
        ValueError: there are no tensors, or the rank of one is not known.
        OutOfRangeError: in a run, there are no more examples.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.maybe_batch_join([[number]], number < 5, 3)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).tolist()
        [0, 1, 2]
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        pads=dynamic_pad,
    )  # fmt: skip
    return batched(plan, tensors_list, keep_input, 1, name, "batch_join")
