"""The hooks that save checkpoints and count steps."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from typing import Any

from ...protos.messages import SessionLog
from ...saving.event_writer import FileWriterCache
from ...saving.graph_files import write_graph
from ...saving.savers.saver import Saver
from .hooks import needed_global_step
from .session_creation import Scaffold
from .session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

public = {"td.train, td.estimator": "CheckpointSaverHook CheckpointSaverListener SecondOrStepTimer"}

_LOG = logging.getLogger("tensordraft")


class SecondOrStepTimer:
    """Timer that triggers after a number of seconds or of steps.

    Args:
        every_secs: after how many seconds.
        every_steps: after how many steps; one of the two is given.

    Raises:
        ValueError: none or both are given.

    Example:
        >>> timer = td.train.SecondOrStepTimer(every_steps=2)
        >>> timer.should_trigger_for_step(1), timer.update_last_triggered_step(1)
        (True, (None, None))
        >>> timer.should_trigger_for_step(2), timer.should_trigger_for_step(3)
        (False, True)
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if (every_secs is None) == (every_steps is None):
            raise ValueError("one of every_secs and every_steps must be given, and not both")
        self._seconds = every_secs
        self._steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Begins again."""
        self._last: tuple[int, float] | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns True if the timer is due at a step."""
        if self._last is None:
            return True
        last_step, last_time = self._last
        if step == last_step:
            return False
        if self._seconds is not None:
            return time.monotonic() >= last_time + self._seconds
        return step >= last_step + (self._steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that it was done at a step; the seconds and steps since the time before."""
        now, last = time.monotonic(), self._last
        self._last = (step, now)
        return (None, None) if last is None else (now - last[1], step - last[0])

    def last_triggered_step(self) -> int | None:
        """The step at which it was done last."""
        return None if self._last is None else self._last[0]


class CheckpointSaverListener:
    """Listener that a CheckpointSaverHook calls for each checkpoint; to be subclassed.

    Example:
        >>> import tempfile
        >>> class Telling(td.train.CheckpointSaverListener):
        ...     def after_save(self, session, global_step_value):
        ...         print("saved at", global_step_value)
        >>> with td.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        ...     add = td.train.create_global_step().assign_add(4)
        ...     hook = td.train.CheckpointSaverHook(
        ...         folder, save_steps=10, saver=td.train.Saver(), listeners=[Telling()]
        ...     )
        ...     with td.train.SingularMonitoredSession(hooks=[hook]) as session:
        ...         _ = session.run(add)
        ...     td.summary.FileWriterCache.clear()
        saved at 0
        saved at 4
    """

    def begin(self) -> None:
        """Called before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Called when it is saved; what is true asks for a stop."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the beginning, periodically, and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs: after how many seconds.
        save_steps: after how many steps; one of the two is given.
        saver: a Saver; by default that of `scaffold`.
        checkpoint_basename: what the names of checkpoints begin with.
        scaffold: the scaffold of the session.
        listeners: CheckpointSaverListeners to call for each checkpoint.
        save_graph_def: whether the graph is written, too, and each checkpoint has it beside it.

    Raises:
        ValueError: none or both of the times are given, or saver and scaffold are.

    Example:
        >>> import tempfile
        >>> with td.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        ...     add = td.train.create_global_step().assign_add(4)
        ...     hook = td.train.CheckpointSaverHook(folder, save_steps=10, saver=td.train.Saver())
        ...     with td.train.SingularMonitoredSession(hooks=[hook]) as session:
        ...         _ = session.run(add)
        ...     td.summary.FileWriterCache.clear()
        ...     td.train.latest_checkpoint(folder).rpartition("/")[2]
        'model.ckpt-4'
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Scaffold | None = None,
        listeners: Iterable[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        self._listeners = list(listeners or ())
        self._folder = checkpoint_dir
        self._save_graph = save_graph_def
        self._writer: Any = None
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._saver = saver
        self._scaffold = scaffold
        self._step: Any = None

    def add_listener(self, listener: CheckpointSaverListener) -> None:
        """Adds a listener.

        Args:
            listener: the listener.
        """
        self._listeners.append(listener)

    def begin(self) -> None:
        """Looks up the required ops in the graph."""
        self._step = needed_global_step("CheckpointSaverHook")
        self._writer = FileWriterCache.get(self._folder)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Starts at the global step of the session."""
        if self._save_graph:
            write_graph(session.graph, self._folder, "graph.pbtxt")
        self._writer.add_graph(session.graph)
        self._save(session, int(session.run(self._step)))

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Adds the fetches of the hook."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Processes the results."""
        # The step may have been read before it was counted up.
        if self._timer.should_trigger_for_step(int(run_values.results) + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step) and self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Runs the final actions."""
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Saves a checkpoint; whether a listener asks for a stop."""
        saver: Saver | None = self._saver or (self._scaffold.saver if self._scaffold else None)
        if saver is None:
            raise RuntimeError("CheckpointSaverHook has neither a saver nor a scaffold with one")
        self._timer.update_last_triggered_step(step)
        _LOG.info("Saving checkpoints for %d into %s.", step, self._path)
        for listener in self._listeners:
            listener.before_save(session, step)
        saver.save(session, self._path, global_step=step, write_meta_graph=self._save_graph)
        status = SessionLog.CHECKPOINT
        self._writer.add_session_log(
            SessionLog(status=status, checkpoint_path=self._path), global_step=step
        )
        asked = [listener.after_save(session, step) for listener in self._listeners]
        return any(asked)
