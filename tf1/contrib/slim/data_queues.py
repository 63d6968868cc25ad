"""Queues of slim: running their threads in a block, and prefetching batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....graph.default_scopes import name_scope
from ....ops.array.cast import to_float
from ....ops.queues.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from ....ops.queues.queues import FIFOQueue, PaddingFIFOQueue
from ....ops.summaries.scalars_and_histograms import scalar
from ....training.coordination.coordinator import Coordinator

public = {
    "td.contrib.slim.prefetch_queue": "prefetch_queue",
    "td.contrib.slim.queues": "NestedQueueRunnerError QueueRunners",
}


class NestedQueueRunnerError(Exception):
    """Threads of queues have been started within others, for one session.

    Example:
        >>> issubclass(td.contrib.slim.queues.NestedQueueRunnerError, Exception)
        True
    """

    def __init__(self) -> None:
        super().__init__("the threads of this session's queues run already")


_busy: set[int] = set()


@contextmanager
def queue_runners(session: Any) -> Iterator[None]:
    """The threads of a session's queues, for the time of a `with` block.

    Args:
        session: the session.

    Raises:
        NestedQueueRunnerError: they run already.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     (x,) = (td.train.batch([td.constant([1.0, 2.0])], 2),)
        ...     with td.contrib.slim.queues.QueueRunners(session):
        ...         session.run(x)
        array([[1., 2.],
               [1., 2.]], dtype=float32)
    """
    if id(session) in _busy:
        raise NestedQueueRunnerError
    _busy.add(id(session))
    coordinator = Coordinator()
    try:
        threads = start_queue_runners(session, coordinator)
        yield
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)
    finally:
        coordinator.request_stop()
        _busy.discard(id(session))


QueueRunners = queue_runners


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue whose threads fill it with the values of some tensors.

    Args:
        tensors: a list or a dict of tensors, usually batches.
        capacity: capacity of the queue.
        num_threads: number of threads that fill it.
        dynamic_pad: whether values of different sizes are let in.
        shared_name: a name under which other sessions share it.
        name: a scope for the ops.

    Returns:
        The queue: `dequeue()` returns the structure of `tensors`: a list, a dict, or one tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     queue = td.contrib.slim.prefetch_queue.prefetch_queue(
        ...         [td.constant(1), td.constant(2)]
        ...     )
        ...     one, two = queue.dequeue()
        ...     with td.contrib.slim.queues.QueueRunners(session):
        ...         session.run([one, two])
        [np.int32(1), np.int32(2)]
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed: Sequence[Any] = [tensors[key] for key in names] if names else list(tensors)
    with name_scope(name, "prefetch_queue", listed):
        dtypes, shapes = [item.dtype for item in listed], [item.shape for item in listed]
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        if not dynamic_pad and not all(shape.is_fully_defined() for shape in shapes):
            shapes = None  # type: ignore[assignment]
        queue = kind(capacity, dtypes, shapes, names=names, shared_name=shared_name)
        filling = queue.enqueue(tensors if names else listed)
        add_queue_runner(QueueRunner(queue, [filling] * num_threads))
        scalar(f"fraction_of_{capacity}_full", to_float(queue.size()) * (1.0 / capacity))
        return queue
