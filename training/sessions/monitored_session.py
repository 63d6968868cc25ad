"""Sessions with hooks: they begin with values for all variables, and end in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph import errors
from ..coordination.coordinator import Coordinator
from .saving_hooks import CheckpointSaverHook, StepCounterHook
from .session_creation import ChiefSessionCreator, Scaffold, SessionCreator
from .session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from ...graph.graph import Graph
    from ...session.session import Session

public = {"td.train": "MonitoredSession MonitoredTrainingSession SingularMonitoredSession"}

_DEFAULT = "default"  # told apart from None, which turns saving off
_ENDS = (errors.OutOfRangeError, StopIteration)


class MonitoredSession:
    """A session with hooks, to be used in a `with` block.

    It begins with values for all variables. The end of the data, OutOfRangeError, ends the block
    without an error.

    Args:
        session_creator: makes the session; by default a ChiefSessionCreator.
        hooks: SessionRunHooks, called in their order.
        stop_grace_period_secs: how long to wait for threads at the end.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     count = td.Variable(0).count_up_to(3)
        ...     values = []
        ...     with td.train.MonitoredSession() as session:
        ...         while not session.should_stop():
        ...             values.append(int(session.run(count)))
        ...     values
        [0, 1, 2]
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._hooks = list(hooks or ())
        self._grace = stop_grace_period_secs
        self._stopped = False
        for hook in self._hooks:
            hook.begin()
        self._coordinator = Coordinator()
        creator = session_creator or ChiefSessionCreator()
        self._session: Session | None = creator.create_session()
        try:
            for hook in self._hooks:
                hook.after_create_session(self._session, self._coordinator)
        except BaseException:
            self._close(hooks_end=False)
            raise

    @property
    def graph(self) -> Graph | None:
        """The graph; None when the session is closed."""
        return None if self._session is None else self._session.graph

    def should_stop(self) -> bool:
        """Whether a hook or a thread asked for a stop, or the session is closed."""
        return self._session is None or self._stopped or self._coordinator.should_stop()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """As `td.Session.run`, with what hooks fetch, feed and do.

        Raises:
            RuntimeError: the session is closed, or two feed one tensor.
        """
        session = self._session
        if session is None:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict, options), session)
        wanted: list[Any] = []
        feeds = dict(feed_dict or {})
        for hook in self._hooks:
            asked = hook.before_run(context) or SessionRunArgs(None)
            wanted.append(asked.fetches)
            options = options if asked.options is None else asked.options
            for tensor, value in (asked.feed_dict or {}).items():
                if tensor in feeds:
                    raise RuntimeError(
                        f"Same tensor is fed by two hooks, or a hook and the call: {tensor}"
                    )
                feeds[tensor] = value
        nothing: list[Any] = []
        asked_for = [fetches, *(nothing if item is None else item for item in wanted)]
        result, *values = session.run(asked_for, feeds, options, run_metadata)
        for hook, item, value in zip(self._hooks, wanted, values, strict=True):
            results = None if item is None else value
            hook.after_run(context, SessionRunValues(results, options, run_metadata))
        self._stopped = self._stopped or context.stop_requested
        self._coordinator.raise_requested_exception()
        return result

    def close(self) -> None:
        """Ends the session; hooks get to know it."""
        self._close(hooks_end=True)

    def _close(self, hooks_end: bool) -> None:
        session = self._session
        if session is None:
            return
        try:
            if hooks_end:
                for hook in self._hooks:
                    hook.end(session)
        finally:
            self._session = None
            self._coordinator.request_stop()
            try:
                self._coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        ended = kind is not None and issubclass(kind, _ENDS)
        self._close(hooks_end=kind is None or ended)
        return ended


class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession that tells its session.

    Args:
        hooks: SessionRunHooks, called in their order.
        scaffold: what the session needs of the graph.
        master: "": a session always runs in this process.
        config: as for `td.Session`.
        checkpoint_dir: the folder whose latest checkpoint is restored, if there is one.
        stop_grace_period_secs: how long to wait for threads at the end.
        checkpoint_filename_with_path: the checkpoint to restore.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     v = td.Variable(3)
        ...     with td.train.SingularMonitoredSession() as session:
        ...         session.raw_session().run(v)
        np.int32(3)
    """

    def __init__(
        self,
        hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
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
        return self._session


def MonitoredTrainingSession(  # noqa: N802 - TensorFlow's name
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
    chief_only_hooks: Iterable[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = None,
    save_summaries_secs: Any = None,
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
        is_chief: accepted for TensorFlow's sake: the one process is the chief.
        checkpoint_dir: the folder; without one nothing is saved.
        scaffold: what the session needs of the graph.
        hooks: SessionRunHooks, called in their order.
        chief_only_hooks: further ones.
        save_checkpoint_secs: after how many seconds to save; by default 600. None for never.
        save_summaries_steps: accepted; summaries are not written.
        save_summaries_secs: accepted.
        config: as for `td.Session`.
        stop_grace_period_secs: how long to wait for threads at the end.
        log_step_count_steps: after how many steps to log how many a second takes.
        max_wait_secs: accepted.
        save_checkpoint_steps: after how many steps to save.
        summary_dir: accepted.

    Raises:
        ValueError: both times are given after which to save.

    Example:
        >>> import tempfile
        >>> import tensordraft as td
        >>> def steps(folder):
        ...     with td.Graph().as_default():
        ...         step = td.train.create_global_step().assign_add(1)
        ...         with td.train.MonitoredTrainingSession(checkpoint_dir=folder) as session:
        ...             return [int(session.run(step)) for _ in range(3)]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     steps(folder), steps(folder)
        ([1, 2, 3], [4, 5, 6])
    """
    del is_chief, save_summaries_steps, save_summaries_secs, max_wait_secs, summary_dir
    if save_checkpoint_secs is _DEFAULT:
        save_checkpoint_secs = 600 if save_checkpoint_steps in (_DEFAULT, None) else None
    if save_checkpoint_steps is _DEFAULT:
        save_checkpoint_steps = None
    scaffold = scaffold or Scaffold()
    every = [*(hooks or ()), *(chief_only_hooks or ())]
    if checkpoint_dir:
        if log_step_count_steps:
            every.append(StepCounterHook(every_n_steps=log_step_count_steps))
        if save_checkpoint_secs or save_checkpoint_steps:
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
