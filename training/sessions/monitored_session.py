"""Monitored sessions: initialization, hooks and orderly shutdown."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Self

from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph
from ...runtime import errors
from ...session.session import Session
from .hooked_session import PREEMPTIONS, HookedSession
from .saving_hooks import CheckpointSaverHook
from .session_creation import ChiefSessionCreator, Scaffold, SessionCreator, WorkerSessionCreator
from .session_run_hook import SessionRunHook, hooks_of
from .summary_hooks import StepCounterHook, SummarySaverHook

public = {"td.train": "MonitoredSession MonitoredTrainingSession SingularMonitoredSession"}

_LOG = logging.getLogger("tensordraft")
_DEFAULT = "default"  # distinct from None, which turns saving off
_ENDS = (errors.OutOfRangeError, StopIteration)


class StepContext:
    """Context of a function that `MonitoredSession.run_step_fn` calls.

    Args:
        session: the session, without hooks.
        run_with_hooks_fn: the method `run` of the MonitoredSession.
    """

    def __init__(self, session: Session, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run = run_with_hooks_fn

    @property
    def session(self) -> Session:
        """The session, without hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """A run of the MonitoredSession, with hooks."""
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the function and the `with` block of the session.

        Raises:
            StopIteration: always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession:
    """A session with hooks, to be used in a `with` block.

    It begins with values for all variables. The end of the data, OutOfRangeError, ends the block
    without an error. Where the session is lost, AbortedError or UnavailableError, a new one is
    made, from the latest checkpoint where there is one.

    Args:
        session_creator: makes the session; by default a ChiefSessionCreator.
        hooks: SessionRunHooks, called in their order.
        stop_grace_period_secs: how long to wait for threads at the end.

    Example:
        >>> with td.Graph().as_default():
        ...     count = td.Variable(0).count_up_to(3)
        ...     values = []
        ...     with td.train.MonitoredSession() as session:
        ...         while not session.should_stop():
        ...             values.append(int(session.run(count)))
        ...     values
        [0, 1, 2]
    """

    StepContext = StepContext

    _recovers = True  # whether to recreate a lost session

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._hooks = hooks_of(hooks)
        self._grace = stop_grace_period_secs
        self._graph = get_default_graph()
        self._was_finalized = self._graph.finalized
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._sess: HookedSession | None = self._new_session()

    @property
    def graph(self) -> Graph | None:
        """The graph; None when the session is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def should_stop(self) -> bool:
        """Returns True once a stop has been requested or the session is closed."""
        if self._sess is None:
            return True
        try:
            return self._sess.should_stop()
        except PREEMPTIONS as error:
            if not self._recovers:
                raise
            self._sess = self._next_session(error)
            return False
        except Exception:
            if not self._recovers:
                raise
            return True  # it is raised where the session is closed

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """As `td.Session.run`, with what hooks fetch, feed and do.

        Where the session is lost, that is, where a run or a hook raises AbortedError or
        UnavailableError, a new one is made and the run made again.

        Raises:
            RuntimeError: the session is closed, a hook has asked for a stop, or two feed one
                tensor.
        """
        return self._tried(lambda session: session.run(fetches, feed_dict, options, run_metadata))

    def _tried(self, work: Callable[[HookedSession], Any]) -> Any:
        """Runs `work`, again if the session is lost in between, and returns its result."""
        while self._sess is not None:
            try:
                return work(self._sess)
            except PREEMPTIONS as error:
                if not self._recovers:
                    raise
                self._sess = self._next_session(error)
        raise RuntimeError("Run called even after should_stop requested.")

    def _new_session(self) -> HookedSession:
        while True:
            try:
                return HookedSession(self._creator, self._hooks, self._grace)
            except PREEMPTIONS as error:
                if not self._recovers:
                    raise
                _LOG.info("An error was raised when a session was made, another: %s", error)

    def _next_session(self, error: BaseException) -> HookedSession:
        if self._sess is not None:
            self._sess.abandon(error)
        return self._new_session()

    def _tf_sess(self) -> Session | None:
        return None if self._sess is None else self._sess.session

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function that makes several runs of one step.

        Args:
            step_fn: a function of a StepContext; or of that by the name `step_context`, as the
                second argument of a method.

        Returns:
            What it returns.

        Raises:
            ValueError: the function takes other arguments.

        Example:
            >>> with td.Graph().as_default():
            ...     x = td.placeholder(td.float32, [])
            ...     double = x * 2.0
            ...
            ...     def step(step_context):
            ...         half = step_context.session.run(double, {x: 1.0})
            ...         return step_context.run_with_hooks(double, {x: half})
            ...
            ...     with td.train.MonitoredSession() as session:
            ...         session.run_step_fn(step)
            np.float32(4.0)
        """
        names = list(inspect.signature(step_fn).parameters)
        if names != ["step_context"]:
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {names} instead."
            )
        return self._tried(
            lambda session: step_fn(StepContext(session.session, partial(_run_with_hooks, session)))
        )

    def close(self) -> None:
        """Ends the session; hooks get to know it. The graph may be changed again then.

        Raises:
            Exception: what a thread has raised.
        """
        self._close(hooks_end=True)

    def _close(self, hooks_end: bool) -> None:
        session = self._sess
        if session is None:
            return
        try:
            if hooks_end:
                for hook in self._hooks:
                    hook.end(session.session)
        finally:
            self._sess = None
            try:
                session.close()
            except PREEMPTIONS as error:
                if not self._recovers:
                    raise
                _LOG.info("An error was raised when the session was closed: %s", error)
            finally:
                if not self._was_finalized:
                    self._graph.open_again()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        ended = kind is not None and issubclass(kind, _ENDS)
        self._close(hooks_end=kind is None or ended)
        return ended


def _run_with_hooks(
    session: HookedSession,
    fetches: Any,
    feed_dict: Any = None,
    options: Any = None,
    run_metadata: Any = None,
) -> Any:
    return session.run(fetches, feed_dict, options, run_metadata)


class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession that exposes its session, and does not recover if that is lost.

    Args:
        hooks: SessionRunHooks, called in their order.
        scaffold: what the session needs of the graph.
        master: "": a session always runs in this process.
        config: as for `td.Session`.
        checkpoint_dir: the folder whose latest checkpoint is restored, if there is one.
        stop_grace_period_secs: how long to wait for threads at the end.
        checkpoint_filename_with_path: the checkpoint to restore.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable(3)
        ...     with td.train.SingularMonitoredSession() as session:
        ...         session.raw_session().run(v)
        np.int32(3)
    """

    _recovers = False

    def __init__(
        self,
        hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Session | None:
        """The session, without hooks."""
        return self._tf_sess()


def MonitoredTrainingSession(  # noqa: N802 - TensorFlow's name
    master: Any = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
    chief_only_hooks: Iterable[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: str | None = None,
) -> MonitoredSession:
    """A MonitoredSession that restores the latest checkpoint of a folder, and saves new ones there.

    Args:
        master: "": a session always runs in this process.
        is_chief: whether this session gives variables their values and saves; another one, on
            the same server, waits for it.
        checkpoint_dir: the folder; without one nothing is saved.
        scaffold: what the session needs of the graph.
        hooks: SessionRunHooks, called in their order.
        chief_only_hooks: further ones.
        save_checkpoint_secs: after how many seconds to save; by default 600. None for never.
        save_summaries_steps: after how many steps to write summaries; by default 100.
        save_summaries_secs: after how many seconds.
        config: as for `td.Session`.
        stop_grace_period_secs: how long to wait for threads at the end.
        log_step_count_steps: after how many steps to log how many a second takes.
        max_wait_secs: how long to wait for the chief.
        save_checkpoint_steps: after how many steps to save.
        summary_dir: the folder for summaries; by default `checkpoint_dir`.

    Raises:
        ValueError: both times are given after which to save.

    Example:
        >>> import tempfile
        >>> def steps(folder):
        ...     with td.Graph().as_default():
        ...         step = td.train.create_global_step().assign_add(1)
        ...         with td.train.MonitoredTrainingSession(checkpoint_dir=folder) as session:
        ...             return [int(session.run(step)) for _ in range(3)]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     steps(folder), steps(folder)
        ([1, 2, 3], [4, 5, 6])
    """
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    save_summaries_secs = None if save_summaries_secs is _DEFAULT else save_summaries_secs
    save_summaries_steps = None if save_summaries_steps is _DEFAULT else save_summaries_steps
    if save_checkpoint_secs is _DEFAULT:
        save_checkpoint_secs = 600 if save_checkpoint_steps in (_DEFAULT, None) else None
    if save_checkpoint_steps is _DEFAULT:
        save_checkpoint_steps = None
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks or (), stop_grace_period_secs)
    every = [*hooks_of(hooks), *hooks_of(chief_only_hooks)]
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            every.append(
                StepCounterHook(every_n_steps=log_step_count_steps, output_dir=summary_dir)
            )
        if (save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0:
            every.append(
                SummarySaverHook(
                    save_steps=save_summaries_steps,
                    save_secs=save_summaries_secs,
                    scaffold=scaffold,
                    output_dir=summary_dir,
                )
            )
    if checkpoint_dir and (save_checkpoint_secs or save_checkpoint_steps):
        every.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_secs=save_checkpoint_secs or None,
                save_steps=save_checkpoint_steps or None,
                scaffold=scaffold,
            )
        )
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, every, stop_grace_period_secs)
