"""How a session for training begins: from a checkpoint, or with initial values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.checkpoints.checkpoint_state import latest_checkpoint
from ...graph.default_graph import get_default_graph
from ...ops.effects.ordering import group
from ...ops.saving.saver import Saver
from ...ops.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from ...session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

public = {"td.train": "ChiefSessionCreator Scaffold SessionCreator WorkerSessionCreator"}


class Scaffold:
    """What a session for training needs of its graph; whatever is not given is made.

    Args:
        init_op: gives variables their values; by default all global ones their initial values.
        init_feed_dict: what to feed it.
        init_fn: a function of the scaffold and the session, called after it.
        ready_op: gives the names of what has no value, which have to be none.
        ready_for_local_init_op: accepted for TensorFlow's sake.
        local_init_op: gives local variables their values, also after a checkpoint was restored.
        summary_op: the summaries; by default none.
        saver: a Saver; by default of all global variables.
        copy_from_scaffold: a scaffold that stands in for what is not given.
        local_init_feed_dict: what to feed `local_init_op`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     v = td.Variable(1)
        ...     scaffold = td.train.Scaffold(init_fn=lambda scaffold, session: v.load(7, session))
        ...     with td.train.MonitoredSession(td.train.ChiefSessionCreator(scaffold)) as session:
        ...         session.run(v)
        np.int32(7)
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Session], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        other: Any = copy_from_scaffold
        self._init_fn = init_fn
        self.init_op = init_op if other is None or init_op is not None else other.init_op
        self.init_feed_dict = init_feed_dict or (other and other.init_feed_dict)
        self.ready_op = ready_op if other is None or ready_op is not None else other.ready_op
        self.ready_for_local_init_op = ready_for_local_init_op
        self.local_init_op = (
            local_init_op if other is None or local_init_op is not None else other.local_init_op
        )
        self.local_init_feed_dict = local_init_feed_dict
        self.summary_op = summary_op
        self.saver: Saver | None = saver if other is None or saver is not None else other.saver
        if init_fn is None and other is not None:
            self._init_fn = other._init_fn

    def finalize(self) -> Scaffold:
        """Makes what is missing, and lets the graph be changed no more."""
        graph = get_default_graph()
        if not graph.finalized:
            if self.init_op is None:
                self.init_op = group(global_variables_initializer(), name="init")
            if self.ready_op is None:
                self.ready_op = report_uninitialized_variables()
            if self.local_init_op is None:
                self.local_init_op = group(local_variables_initializer(), name="local_init")
            if self.saver is None and global_variables():
                self.saver = Saver(sharded=True, allow_empty=True)
            graph.finalize()
        return self

    def init_fn(self, session: Session) -> None:
        """Calls the function that the scaffold was given."""
        if self._init_fn is not None:
            self._init_fn(self, session)


class SessionCreator:
    """What makes the session of a MonitoredSession: a subclass says how.

    Example:
        >>> import tensordraft as td
        >>> class Plain(td.train.SessionCreator):
        ...     def create_session(self):
        ...         return td.Session()
        >>> with td.Graph().as_default():
        ...     one = td.constant(1)
        ...     with td.train.MonitoredSession(Plain()) as session:
        ...         session.run(one)
        np.int32(1)
    """

    def create_session(self) -> Session:
        """A new session, whose variables have values."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to create a session")


class ChiefSessionCreator(SessionCreator):
    """Makes sessions that begin with a checkpoint, or else with initial values.

    Args:
        scaffold: what they need of the graph.
        master: "": a session always runs in this process.
        config: as for `td.Session`.
        checkpoint_dir: the folder whose latest checkpoint is restored, if there is one.
        checkpoint_filename_with_path: the checkpoint to restore.

    Raises:
        RuntimeError: some variables have no value at the end.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     v = td.Variable(3)
        ...     with td.train.ChiefSessionCreator().create_session() as session:
        ...         session.run(v)
        np.int32(3)
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._folder = checkpoint_dir
        self._checkpoint = checkpoint_filename_with_path

    def create_session(self) -> Session:
        """A new session, whose variables have values."""
        scaffold = self._scaffold.finalize()
        session = Session(self._master, config=self._config)
        try:
            path = self._checkpoint or (self._folder and latest_checkpoint(self._folder))
            if path and scaffold.saver is not None:
                scaffold.saver.restore(session, path)
            elif scaffold.init_op is not None:
                session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
            if not path:
                scaffold.init_fn(session)
            if scaffold.local_init_op is not None:
                session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
            if scaffold.ready_op is not None and len(lacking := session.run(scaffold.ready_op)):
                names = ", ".join(name.decode() for name in lacking)
                raise RuntimeError(f"Variables not initialized: {names}")
        except BaseException:
            session.close()
            raise
        return session


WorkerSessionCreator = ChiefSessionCreator
