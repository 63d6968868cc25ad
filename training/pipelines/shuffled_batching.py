"""Batches in random order."""

from __future__ import annotations

from typing import Any

from .batch_queues import BatchPlan, batched

public = {
    "td.train": "maybe_shuffle_batch maybe_shuffle_batch_join shuffle_batch shuffle_batch_join"
}


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples, in random order.

    Args:
        tensors: a list or dict of tensors: one example.
        batch_size: how many examples a batch has: an int or int32 scalar.
        capacity: of the queue.
        min_after_dequeue: how many examples stay in the queue, to choose from.
        num_threads: how many threads fill the queue.
        seed: the seed of the order.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
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
        ...     batch = td.train.shuffle_batch([number], 3, 20, 10)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        least=min_after_dequeue, seed=seed,
    )  # fmt: skip
    return batched(plan, [tensors], True, num_threads, name, "shuffle_batch")


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of those examples that are to be kept, in random order.

    Args:
        tensors: a list or dict of tensors: one example.
        keep_input: whether to keep an example: a bool scalar; with `enqueue_many` also a vector.
        batch_size: how many examples a batch has: an int or int32 scalar.
        capacity: of the queue.
        min_after_dequeue: how many examples stay in the queue, to choose from.
        num_threads: how many threads fill the queue.
        seed: the seed of the order.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
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
        ...     batch = td.train.maybe_shuffle_batch([number], 3, 20, 10, number < 5)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        least=min_after_dequeue, seed=seed,
    )  # fmt: skip
    return batched(plan, [tensors], keep_input, num_threads, name, "shuffle_batch")


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples that several sources give, in random order.

    Args:
        tensors_list: a list of lists or dicts of tensors: what several sources give, each of which
            gets a thread.
        batch_size: how many examples a batch has: an int or int32 scalar.
        capacity: of the queue.
        min_after_dequeue: how many examples stay in the queue, to choose from.
        seed: the seed of the order.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
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
        ...     batch = td.train.shuffle_batch_join([[number], [number]], 3, 20, 10)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        least=min_after_dequeue, seed=seed,
    )  # fmt: skip
    return batched(plan, tensors_list, True, 1, name, "shuffle_batch_join")


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of those examples of several sources that are to be kept, in random order.

    Args:
        tensors_list: a list of lists or dicts of tensors: what several sources give, each of which
            gets a thread.
        keep_input: whether to keep an example: a bool scalar; with `enqueue_many` also a vector.
        batch_size: how many examples a batch has: an int or int32 scalar.
        capacity: of the queue.
        min_after_dequeue: how many examples stay in the queue, to choose from.
        seed: the seed of the order.
        enqueue_many: whether the tensors hold several examples, one in each row.
        shapes: the shapes of the tensors of one example; by default what they tell.
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
        ...     batch = td.train.maybe_shuffle_batch_join([[number]], 3, 20, 10, number < 5)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    plan = BatchPlan(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
        least=min_after_dequeue, seed=seed,
    )  # fmt: skip
    return batched(plan, tensors_list, keep_input, 1, name, "shuffle_batch_join")
