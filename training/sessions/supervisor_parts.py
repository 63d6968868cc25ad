"""Parts of a supervisor: passed in, taken from collections, or created."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph
from ...graph.scopes.collections import GraphKeys
from ...ops.debugging.group_and_tuple import group
from ...ops.summaries.text_and_merge import merge_all
from ...ops.tables.hash_table import tables_initializer
from ...ops.variable_scopes.global_step import get_global_step
from ...ops.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from ...saving.event_writer import FileWriter
from ...saving.savers.saver import Saver
from ...session.session import Session
from ..coordination.coordinator import Coordinator
from .session_manager import SessionManager


class SupervisorParts:
    """The parts of a Supervisor, which says what its arguments mean."""

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
        """True for the chief, which initializes variables and saves checkpoints."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """The SessionManager that prepares sessions."""
        return self._manager

    @property
    def coord(self) -> Coordinator:
        """The coordinator of the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """Op that initializes variables."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """Feeds of the init op."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """Op that returns the names of uninitialized variables."""
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
        """Seconds between summaries."""
        return self._summaries_secs

    @property
    def global_step(self) -> Any:
        """The global step; None where there is none."""
        return self._step

    @property
    def saver(self) -> Saver | None:
        """The Saver; None without variables to save."""
        return self._saver

    @property
    def save_model_secs(self) -> float:
        """Seconds between checkpoints."""
        return self._model_secs

    @property
    def save_path(self) -> str | None:
        """Path prefix of checkpoints, without the step."""
        return self._save_path


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and value == SupervisorParts.USE_DEFAULT


def _one(given: Any, key: str, make: Callable[[], Any]) -> Any:
    """`given`, or by default the first item of a collection, created and added if it is empty."""
    if not _is_default(given):
        return given
    graph = get_default_graph()
    held = graph.get_collection(key)
    if held:
        return held[0]
    item = make()
    if item is not None:
        graph.add_to_collection(key, item)
    return item


def _local_init() -> Any:
    return group(local_variables_initializer(), tables_initializer())


def _saver() -> Saver | None:
    return Saver() if global_variables() else None
