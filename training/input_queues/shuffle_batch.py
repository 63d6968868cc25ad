"""Batches in random order."""

from __future__ import annotations

from typing import Any

from .batch_queues import batched, described

public = {
    "td.train": "maybe_shuffle_batch maybe_shuffle_batch_join shuffle_batch shuffle_batch_join"
}


@described
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

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.shuffle_batch([number], 3, 20, 10)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    return batched("shuffle_batch", **locals())


@described
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

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.maybe_shuffle_batch([number], 3, 20, 10, number < 5)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    return batched("shuffle_batch", **locals())


@described
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

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.shuffle_batch_join([[number], [number]], 3, 20, 10)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    return batched("shuffle_batch_join", **locals())


@described
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

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.train.range_input_producer(9, shuffle=False).dequeue()
        ...     batch = td.train.maybe_shuffle_batch_join([[number]], 3, 20, 10, number < 5)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(batch).shape
        (3,)
    """
    return batched("shuffle_batch_join", **locals())
