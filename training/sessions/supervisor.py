"""The supervisor: one object that prepares a session, runs services beside it, and ends it all."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...graph.default_graph import get_default_graph
from ...graph.loading.event_writer import FileWriter
from ...graph.loading.graph_files import write_graph
from ...graph.scopes.collections import GraphKeys
from ...ops.effects.ordering import group
from ...ops.queues.queue_runner import start_queue_runners
from ...ops.saving.saver import Saver
from ...ops.summaries.tensors_and_texts import merge_all
from ...ops.tables.hash_table import tables_initializer
from ...ops.variable_scopes.global_step import get_global_step
from ...ops.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from ...protos.messages import SessionLog, Summary
from ..coordination.coordinator import Coordinator, LooperThread
from .session_manager import SessionManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from threading import Thread

    from ...graph.graph import Graph
    from ...session.session import Session

public = {"td.train": "Supervisor basic_train_loop"}


class Supervisor:
    """Prepares a session, saves and writes summaries beside it, and ends everything in order.

    `USE_DEFAULT` as an argument means what the graph's collection holds, or what is made for all
    variables; None means none.

    Args:
        graph: the graph; by default the default graph, which is closed to new ops.
        ready_op: gives the names of what has no value.
        ready_for_local_init_op: the same, for what is needed before `local_init_op` runs.
        is_chief: whether this one gives variables their values and saves.
        init_op: gives variables their values.
        init_feed_dict: what to feed it.
        local_init_op: gives local variables and tables their values.
        logdir: the folder for checkpoints and summaries; without one nothing is written.
        summary_op: the summaries.
        saver: a Saver.
        global_step: the global step.
        save_summaries_secs: after how many seconds summaries are written; 0 for never.
        save_model_secs: after how many seconds the model is saved; 0 for never.
        recovery_wait_secs: how long to wait between two looks at whether the model is ready.
        stop_grace_secs: how long to wait for threads at the end.
        checkpoint_basename: what the names of checkpoints begin with.
        session_manager: a SessionManager.
        summary_writer: a FileWriter.
        init_fn: called with the session after `init_op`.
        local_init_run_options: options of the run of `local_init_op`.

    Example:
        >>> import tempfile
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        ...     step = td.train.create_global_step().assign_add(1)
        ...     supervisor = td.train.Supervisor(logdir=folder, save_model_secs=0)
        ...     with supervisor.managed_session() as session:
        ...         while not supervisor.should_stop():
        ...             if session.run(step) == 3:
        ...                 supervisor.request_stop()
        ...         path = supervisor.saver.save(session, supervisor.save_path, 3)
        ...     td.train.latest_checkpoint(folder).rpartition("-")[2]
        '3'
    """

    USE_DEFAULT: Any = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Session], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph = graph or get_default_graph()
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._init_feed_dict = init_feed_dict
        self._init_fn = init_fn
        self._grace = stop_grace_secs
        self._logdir = logdir if is_chief else None
        self._summaries_secs = save_summaries_secs
        self._model_secs = save_model_secs
        self._save_path = (
            os.path.join(logdir, checkpoint_basename) if self._logdir and logdir else None
        )
        with self._graph.as_default():
            self._init_op = _one(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._ready_op = _one(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local = _one(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._local_init_op = _one(local_init_op, GraphKeys.LOCAL_INIT_OP, _local_init)
            self._saver = _one(saver, GraphKeys.SAVERS, _saver)
            self._summary_op = _one(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._step = get_global_step() if _is_default(global_step) else global_step
        self._writer: Any = None
        if _is_default(summary_writer):
            if self._logdir:
                self._writer = FileWriter(self._logdir)
        else:
            self._writer = summary_writer
        self._written = False
        self._manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._graph.finalize()

    @property
    def is_chief(self) -> bool:
        """Whether this one gives variables their values and saves."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """What prepares sessions."""
        return self._manager

    @property
    def coord(self) -> Coordinator:
        """The coordinator of the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """What gives variables their values."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What it is fed."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """What gives the names of what has no value."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The same, for what is needed before local variables get their values."""
        return self._ready_for_local

    @property
    def summary_writer(self) -> Any:
        """The writer of summaries; None where there is none."""
        return self._writer

    @property
    def summary_op(self) -> Any:
        """The summaries; None where there are none."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float:
        """After how many seconds summaries are written."""
        return self._summaries_secs

    @property
    def global_step(self) -> Any:
        """The global step; None where there is none."""
        return self._step

    @property
    def saver(self) -> Saver | None:
        """What saves; None where there is nothing to save."""
        saver: Saver | None = self._saver
        return saver

    @property
    def save_model_secs(self) -> float:
        """After how many seconds the model is saved."""
        return self._model_secs

    @property
    def save_path(self) -> str | None:
        """What checkpoints are called, without the step."""
        return self._save_path

    # Sessions and services ----------------------------------------------------------------------

    def prepare_or_wait_for_session(
        self,
        master: Any = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """A session that is ready, with the runners of queues started.

        Args:
            master: the target of the session.
            config: as for `td.Session`.
            wait_for_checkpoint: whether to wait until there is one.
            max_wait_secs: how long.
            start_standard_services: whether to save and write summaries beside it.
        """
        self._coord.clear_stop()
        if self._is_chief:
            session = self._manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(session)
        else:
            session = self._manager.wait_for_session(master, config, max_wait_secs)
        self.start_queue_runners(session)
        return session

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(self._graph, self._logdir, "graph.pbtxt")
        if self._writer is not None and not self._written:
            self._writer.add_graph(self._graph)
            self._written = True

    def start_standard_services(self, sess: Session) -> list[Thread] | None:
        """Starts the threads that save, write summaries and count steps.

        Raises:
            RuntimeError: this one is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            return None
        if self._step is not None and self._writer is not None:
            log = SessionLog(status=SessionLog.START)
            self._writer.add_session_log(log, int(sess.run(self._step)))
        threads: list[Thread] = []
        if self._summaries_secs and self._writer is not None:
            if self._summary_op is not None:
                threads.append(self.loop(self._summaries_secs, self._summarize, [sess]))
            if self._step is not None:
                threads.append(self.loop(self._summaries_secs, _StepRate(self, sess)))
        if self._saver is not None and self._model_secs:
            threads.append(self.loop(self._model_secs, self._save, [sess]))
        return threads

    def _summarize(self, session: Session) -> None:
        step = None if self._step is None else int(session.run(self._step))
        self._writer.add_summary(session.run(self._summary_op), step)

    def _save(self, session: Session) -> None:
        self._saver.save(session, self._save_path, global_step=self._step)
        if self._writer is not None and self._step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
            self._writer.add_session_log(log, int(session.run(self._step)))

    def start_queue_runners(
        self, sess: Session, queue_runners: Sequence[Any] | None = None
    ) -> list[Thread]:
        """Starts the threads of the runners of queues; by default of all of the graph."""
        if queue_runners is None:
            return start_queue_runners(sess, self._coord)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """A thread that calls a function again and again, until a stop: see LooperThread."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def summary_computed(self, sess: Session, summary: Any, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
            sess: the session.
            summary: the summary, serialized or as a message.
            global_step: the step; by default the value of the global step.

        Raises:
            RuntimeError: there is no writer.
        """
        if self._writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._step is not None:
            global_step = int(sess.run(self._step))
        self._writer.add_summary(summary, global_step)

    # The end ------------------------------------------------------------------------------------

    def stop(
        self,
        threads: Sequence[Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops all threads and waits for them; raises what one of them has raised.

        Args:
            threads: threads to wait for, beside those of this one.
            close_summary_writer: whether to close the writer of summaries.
            ignore_live_threads: whether threads that do not end are no error.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads,
                stop_grace_period_secs=self._grace,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._writer is not None:
                self._writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._writer.close()
                self._written = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks for a stop: see Coordinator."""
        self._coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> Any:
        """A `with` block that asks for a stop where it raises."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until a stop is asked for."""
        self._coord.wait_for_stop()

    @contextmanager
    def managed_session(
        self,
        master: Any = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A session that is ready, in a `with` block, at whose end everything ends.

        What the block raises stops the threads and is raised, as is what a thread raises; the end
        of the data is no error.

        Args:
            master: the target of the session.
            config: as for `td.Session`.
            start_standard_services: whether to save and write summaries beside it.
            close_summary_writer: whether to close the writer of summaries.
        """
        session: Session | None = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            with session.as_default():
                yield session
        except Exception as error:  # noqa: BLE001 - `stop` raises it
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()


class _StepRate:
    """Writes how many global steps a second takes."""

    def __init__(self, supervisor: Supervisor, session: Session) -> None:
        self._supervisor = supervisor
        self._session = session
        self._last: tuple[float, int] | None = None

    def __call__(self) -> None:
        step = int(self._session.run(self._supervisor.global_step))
        now, last = time.monotonic(), self._last
        self._last = (now, step)
        if last is not None and now > last[0]:
            rate = (step - last[1]) / (now - last[0])
            summary = Summary()
            summary.value.add(tag=f"{self._supervisor.global_step.op.name}/sec", simple_value=rate)
            self._supervisor.summary_writer.add_summary(summary, step)


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and value == Supervisor.USE_DEFAULT


def _one(given: Any, key: str, make: Callable[[], Any]) -> Any:
    """What was given; by default the first item of a collection, or what is made and put there."""
    if not _is_default(given):
        return given
    graph = get_default_graph()
    held = graph.get_collection(key)
    if held:
        return held[0]
    made = make()
    if made is not None:
        graph.add_to_collection(key, made)
    return made


def _local_init() -> Any:
    return group(local_variables_initializer(), tables_initializer())


def _saver() -> Saver | None:
    return Saver() if global_variables() else None


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: Any = "",
) -> None:
    """Calls a function with the session of a supervisor, again and again, until a stop.

    Args:
        supervisor: the supervisor.
        train_step_fn: a function of the session, and of `args` and `kwargs`.
        args: what it is called with, beside the session.
        kwargs: the same, by keyword.
        master: the target of the session.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     step = td.train.create_global_step().assign_add(1)
        ...     supervisor = td.train.Supervisor()
        ...
        ...     def train(session, last):
        ...         if session.run(step) == last:
        ...             supervisor.request_stop()
        ...
        ...     td.train.basic_train_loop(supervisor, train, [3])
    """
    with supervisor.managed_session(master) as session:
        while not supervisor.should_stop():
            train_step_fn(session, *(args or ()), **(kwargs or {}))
