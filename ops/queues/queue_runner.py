"""`td.train.QueueRunner`: threads that fill a queue, and close it at the end."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...graph.default_graph import get_default_graph
from ...graph.node import Operation
from ...graph.scopes.collections import GraphKeys, register_proto_function
from ...graph.scopes.thread_defaults import get_default_session
from ...protos.messages import QueueRunnerDef
from ...runtime import errors
from .queue_base import QueueBase

public = {
    "td.train": "QueueRunner add_queue_runner start_queue_runners",
    "td.train.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
}

_LOG = logging.getLogger("tensordraft")
_ENDS = (errors.OutOfRangeError,)


class QueueRunner:
    """Runs the ops that fill a queue, again and again, each in a thread of its own.

    When what the ops read comes to its end, the queue is closed. What a thread raises otherwise
    goes to the coordinator, which stops all others; without one it is kept in `exceptions_raised`.

    Args:
        queue: the queue.
        enqueue_ops: the ops; one that is there twice gets two threads.
        close_op: the op that closes the queue when there is nothing more; by default one is made.
        cancel_op: the op that closes it at once; by default one is made.
        queue_closed_exception_types: a tuple of the errors that mark the end of what the ops
            read; by default OutOfRangeError only.
        queue_runner_def: a QueueRunnerDef message, in place of all of these.
        import_scope: the scope under which its ops were imported.

    Raises:
        ValueError: queue or ops are missing, or given beside `queue_runner_def`.
        TypeError: the types are not a tuple of errors.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     numbers = td.Variable(0)
        ...     queue = td.FIFOQueue(2, td.int32, shapes=[[]])
        ...     runner = td.train.QueueRunner(queue, [queue.enqueue(numbers.count_up_to(3))])
        ...     out = queue.dequeue()
        ...     session.run(numbers.initializer)
        ...     threads = runner.create_threads(session, start=True)
        ...     values = [int(session.run(out)) for _ in range(3)]
        ...     for thread in threads:
        ...         thread.join()
        ...     values
        [0, 1, 2]
    """

    def __init__(
        self,
        queue: QueueBase | None = None,
        enqueue_ops: Sequence[Operation] | None = None,
        close_op: Operation | None = None,
        cancel_op: Operation | None = None,
        queue_closed_exception_types: tuple[type[errors.OpError], ...] | None = None,
        queue_runner_def: QueueRunnerDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._threads: Any = weakref.WeakKeyDictionary()  # how many of a session are at work
        self._exceptions: list[Exception] = []
        types: Any = queue_closed_exception_types
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, import_scope or "")
            return
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        if types is not None and not (
            isinstance(types, tuple)
            and types
            and all(isinstance(kind, type) and issubclass(kind, errors.OpError) for kind in types)
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of td.error types, "
                f"but saw: {types}"
            )
        self._queue: Any = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        self._ends = types or _ENDS

    def _read(self, message: QueueRunnerDef, import_scope: str) -> None:
        graph = get_default_graph()
        scope = f"{import_scope.rstrip('/')}/" if import_scope else ""

        def op(name: str) -> Any:
            return graph.as_graph_element(scope + name)

        self._queue = op(message.queue_name)
        self._enqueue_ops = [op(name) for name in message.enqueue_op_name]
        self._close_op, self._cancel_op = op(message.close_op_name), op(message.cancel_op_name)
        codes = message.queue_closed_exception_types
        self._ends = tuple([errors.exception_type_from_error_code(code) for code in codes]) or _ENDS

    @property
    def queue(self) -> Any:
        """The queue; the op that makes it, where the runner was read from a message."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Operation]:
        """The ops that fill the queue."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation:
        """The op that closes the queue when there is nothing more."""
        return self._close_op

    @property
    def cancel_op(self) -> Operation:
        """The op that closes the queue at once."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        """The errors that mark the end of what the ops read."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[Exception]:
        """Exceptions raised in threads without a coordinator."""
        return self._exceptions

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Makes the threads that fill the queue in a session.

        Args:
            sess: the session.
            coord: a Coordinator, whose stop stops them: a further thread then closes the queue.
            daemon: whether the program may end while they run.
            start: whether to start them.

        Returns:
            The threads; none where those of an earlier call are still at work.
        """
        with self._lock:
            if self._threads.get(sess, 0) > 0:
                return []
            self._threads[sess] = len(self._enqueue_ops)
            self._exceptions = []
        prefix = f"QueueRunnerThread-{self.name}-"
        threads = [
            threading.Thread(
                target=self._fill,
                args=(sess, op, coord),
                name=prefix + getattr(op, "name", str(op)),
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            name = f"{prefix}close_on_stop"
            threads.append(threading.Thread(target=self._stop, args=(sess, coord), name=name))
        for thread in threads:
            thread.daemon = daemon
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _fill(self, session: Any, op: Operation, coord: Any) -> None:
        counted = True
        try:
            enqueue = self._enqueue(session, op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._ends:
                    counted = False
                    self._end(session)
                    return
        except Exception as error:  # noqa: BLE001 - the coordinator raises it in the main thread
            if coord is not None:
                coord.request_stop(error)
            else:
                with self._lock:
                    self._exceptions.append(error)
                _LOG.error("Exception in QueueRunner: %s", error)
        finally:
            if counted:
                with self._lock:
                    self._threads[session] -= 1

    def _enqueue(self, session: Any, op: Operation) -> Callable[[], Any]:
        """A function that fills the queue once, with an op in a session."""
        return session.make_callable(op)

    def _end(self, session: Any) -> None:
        """One of the threads has come to the end; the last one closes the queue."""
        with self._lock:
            self._threads[session] -= 1
            last = not self._threads[session]
        if last:
            _run_regardless(session, self._close_op)

    def _stop(self, session: Any, coord: Any) -> None:
        coord.wait_for_stop()
        _run_regardless(session, self._cancel_op)

    def to_proto(self, export_scope: str | None = None) -> QueueRunnerDef | None:
        """The runner as a message, for a meta graph; None where it is not inside the scope."""
        scope = f"{export_scope.rstrip('/')}/" if export_scope else ""
        if not self.name.startswith(scope):
            return None
        return QueueRunnerDef(
            queue_name=self.name.removeprefix(scope),
            enqueue_op_name=[op.name.removeprefix(scope) for op in self._enqueue_ops],
            close_op_name=self._close_op.name.removeprefix(scope),
            cancel_op_name=self._cancel_op.name.removeprefix(scope),
            queue_closed_exception_types=[kind.error_code for kind in self._ends],
        )

    @staticmethod
    def from_proto(
        queue_runner_def: QueueRunnerDef, import_scope: str | None = None
    ) -> QueueRunner:
        """The runner that a message describes, over ops of the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _run_regardless(session: Any, op: Operation) -> None:
    """Runs an op and ignores its errors: the queue or session may be closed already."""
    try:
        session.run(op)
    except Exception as error:  # noqa: BLE001
        _LOG.debug("Ignored exception: %s", error)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to those that `start_queue_runners` starts.

    Args:
        qr: the runner.
        collection: the collection to add it to.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     queue = td.FIFOQueue(2, td.int32, shapes=[[]])
        ...     td.train.add_queue_runner(td.train.QueueRunner(queue, [queue.enqueue(1)]))
        ...     len(graph.get_collection("queue_runners"))
        1
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all runners of a session's graph.

    Args:
        sess: the session; by default the default session.
        coord: a Coordinator, which stops the threads and raises what they raise.
        daemon: whether the program may end while they run.
        start: whether to start them.
        collection: the collection of runners.

    Returns:
        The threads.

    Raises:
        ValueError: there is no session.
        TypeError: `sess` is not a session.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     names = td.train.string_input_producer(["a", "b"], shuffle=False)
        ...     name, coordinator = names.dequeue(), td.train.Coordinator()
        ...     threads = td.train.start_queue_runners(session, coordinator)
        ...     found = [session.run(name) for _ in range(3)]
        ...     coordinator.request_stop()
        ...     coordinator.join(threads)
        ...     found
        [b'a', b'b', b'a']
    """
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to start_queue_runners(sess=sess)"
            )
    elif not hasattr(sess, "run") or not hasattr(sess, "graph"):
        raise TypeError(f"sess must be a `td.Session` object. Given: {sess!r}")
    return [
        thread
        for runner in sess.graph.get_collection(collection)
        for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
    ]


def _to_proto(runner: QueueRunner) -> QueueRunnerDef:
    return runner.to_proto() or QueueRunnerDef()


register_proto_function(GraphKeys.QUEUE_RUNNERS, QueueRunnerDef, _to_proto, QueueRunner.from_proto)
