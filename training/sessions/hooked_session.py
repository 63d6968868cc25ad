"""Session with hooks and coordinator, which a MonitoredSession recreates after a failure."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from ...ops.queues.queue_runner import start_queue_runners
from ...runtime import errors
from ...session.options import RunOptions
from ...session.profile import RunMetadata
from ...session.session import Session
from ..coordination.coordinator import Coordinator
from .session_creation import SessionCreator
from .session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

# What a task that went away raises: a new session may do better.
PREEMPTIONS = (errors.AbortedError, errors.UnavailableError)

_LOG = logging.getLogger("tensordraft")


class HookedSession:
    """Session with hooks around its runs, and a coordinator of its threads.

    Args:
        creator: makes the session.
        hooks: hooks that are called before and after each run.
        stop_grace_period_secs: how long to wait for threads at the end.
    """

    def __init__(
        self,
        creator: SessionCreator,
        hooks: Sequence[SessionRunHook],
        stop_grace_period_secs: float,
    ) -> None:
        self._hooks = hooks
        self._grace = stop_grace_period_secs
        self._stop_asked = False
        self._sess = creator.create_session()
        # No error is a clean stop here: the end of the data, too, ends the caller's block.
        self._coordinator = Coordinator(clean_stop_exception_types=())
        try:
            start_queue_runners(self._sess, self._coordinator)
            for hook in hooks:
                hook.after_create_session(self._sess, self._coordinator)
        except BaseException:
            self.close()
            raise

    @property
    def session(self) -> Session:
        """The session, without hooks."""
        return self._sess

    def should_stop(self) -> bool:
        """Returns True once a hook or a thread has requested a stop.

        Raises:
            Exception: what a thread has raised.
        """
        if self._stop_asked:
            return True
        self._coordinator.raise_requested_exception()
        return self._coordinator.should_stop()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """As `td.Session.run`, with what hooks fetch, feed and do.

        Raises:
            RuntimeError: a hook has asked for a stop, or two feed one tensor.
        """
        if self._stop_asked:
            raise RuntimeError("Run called even after should_stop requested.")
        try:
            return self._run(fetches, feed_dict, options, run_metadata)
        except PREEMPTIONS:
            raise
        except Exception as error:
            try:
                # A closed queue is a consequence: prefer the error of the thread that closed it.
                self._coordinator.raise_requested_exception()
            except PREEMPTIONS:
                raise
            except Exception as cause:
                raise cause from error
            raise

    def _run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        merged = _Merged(options)
        feeds = dict(feed_dict or {})
        wanted: list[Any] = []
        for hook in self._hooks:
            asked = hook.before_run(context) or SessionRunArgs(None)
            wanted.append(asked.fetches)
            merged.add(asked.options)
            for tensor, value in (asked.feed_dict or {}).items():
                if tensor in feeds:
                    raise RuntimeError(
                        f"Same tensor is fed by two hooks, or a hook and the call: {tensor}"
                    )
                feeds[tensor] = value
        asked_for = [fetches, *([] if item is None else item for item in wanted)]
        metadata = RunMetadata() if run_metadata is None else run_metadata
        # Without a trace the metadata is not needed: skip collecting it.
        noted = metadata if run_metadata is not None or merged.options.trace_level else None
        result, *values = self._sess.run(
            asked_for, feeds, merged.options if merged.given else None, noted
        )
        for hook, item, value in zip(self._hooks, wanted, values, strict=True):
            results = None if item is None else value
            hook.after_run(context, SessionRunValues(results, merged.options, metadata))
        self._stop_asked = self._stop_asked or context.stop_requested
        return result

    def close(self) -> None:
        """Stops the threads, raises the exception of one of them, and closes the session."""
        self._coordinator.request_stop()
        try:
            self._coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        finally:
            self._sess.close()

    def abandon(self, error: BaseException) -> None:
        """Closes what `error` ended, for a new session to take its place."""
        _LOG.info("An error was raised, a new session begins: %s: %s", type(error).__name__, error)
        try:
            self.close()
        except PREEMPTIONS as late:
            _LOG.info("Another was raised when the old session was closed: %s", late)


class _Merged:
    """The options of a caller and of hooks in one: the most detailed trace, the longest time."""

    def __init__(self, options: Any) -> None:
        self.given = options is not None
        self.options = RunOptions() if options is None else options

    def add(self, other: Any) -> None:
        """Takes in what a hook asks for; neither's options are changed."""
        if other is None:
            return
        ours = self.options
        self.given = True
        self.options = RunOptions(
            **{
                **vars(other),
                **vars(ours),
                "trace_level": max(ours.trace_level, other.trace_level),
                "timeout_in_ms": max(ours.timeout_in_ms, other.timeout_in_ms),
                "output_partition_graphs": ours.output_partition_graphs
                or other.output_partition_graphs,
            }
        )
