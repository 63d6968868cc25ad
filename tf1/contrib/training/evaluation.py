"""Evaluating checkpoints: one of them, or each as it is written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from ....graph.default_graph import get_default_graph
from ....graph.scopes.collections import GraphKeys
from ....ops.initializers.initializers import Zeros
from ....ops.summaries.text_and_merge import merge_all
from ....ops.variable_scopes.get_variable import get_variable
from ....ops.variable_scopes.global_step import get_global_step
from ....ops.variables.assign import assign_add
from ....ops.variables.variable import Variable
from ....runtime import logging as log
from ....saving.event_writer import FileWriter
from ....training.sessions.checkpoint_waits import checkpoints_iterator
from ....training.sessions.hooks import FinalOpsHook
from ....training.sessions.monitored_session import MonitoredSession
from ....training.sessions.session_creation import ChiefSessionCreator, Scaffold
from ....training.sessions.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

public = {
    "td.contrib.training": (
        "StopAfterNEvalsHook SummaryAtEndHook evaluate_once evaluate_repeatedly "
        "get_or_create_eval_step"
    )
}


def get_or_create_eval_step() -> Variable:
    """The local variable that counts the steps of an evaluation.

    Raises:
        ValueError: the collection of it holds more than one.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.training.get_or_create_eval_step().op.name
        'eval_step'
    """
    counters: list[Variable] = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(counters) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if counters:
        return counters[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype="int64",
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Asks for a stop after a number of steps of an evaluation.

    Args:
        num_evals: the number; None for no end.
        log_progress: whether to log each step.

    Example:
        >>> hook = td.contrib.training.StopAfterNEvalsHook(10)
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._log_progress = log_progress
        self._done: Any = None

    def count(self, done: Any) -> None:
        """Sets the tensor that counts the steps."""
        self._done = done

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the number of steps."""
        return SessionRunArgs({"done": self._done})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks for a stop where there were enough."""
        done = int(run_values.results["done"])
        if self._log_progress:
            progress = f"[{done}]" if self._num_evals is None else f"[{done}/{self._num_evals}]"
            log.info("Evaluation %s", progress)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes summaries at the end of an evaluation.

    Args:
        log_dir: the folder to write to.
        summary_writer: a FileWriter, in the place of a folder.
        summary_op: the summaries; by default all of the graph.
        feed_dict: its feeds.

    Raises:
        ValueError: there is neither a folder nor a writer.

    Example:
        >>> hook = td.contrib.training.SummaryAtEndHook("logs")
    """

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:
        if log_dir is None and summary_writer is None:
            raise ValueError("log_dir or summary_writer must be given")
        self._log_dir = log_dir
        self._writer = summary_writer
        self._summary_op = summary_op
        self._feed_dict = feed_dict

    def begin(self) -> None:
        """Finds the summaries."""
        if self._summary_op is None:
            self._summary_op = merge_all()
        self._step = get_global_step()

    def end(self, session: Any) -> None:
        """Writes them, with the global step."""
        step = 0 if self._step is None else int(session.run(self._step))
        writer = FileWriter(self._log_dir or "") if self._writer is None else self._writer
        if self._summary_op is not None:
            writer.add_summary(session.run(self._summary_op, self._feed_dict), step)
        writer.flush()
        if self._writer is None:
            writer.close()


def evaluate_once(
    checkpoint_path: str | None,
    master: Any = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Iterable[SessionRunHook] | None = None,
    config: Any = None,
) -> Any:
    """Restores a checkpoint, runs ops until a hook asks for a stop, and gives final values.

    Args:
        checkpoint_path: the checkpoint; None for initial values.
        master: accepted for TensorFlow's sake, like elsewhere.
        scaffold: how variables get their values.
        eval_ops: the ops to run in each step, such as the updates of metrics.
        feed_dict: its feeds.
        final_ops: the fetches at the end, such as the values of metrics.
        final_ops_feed_dict: its feeds.
        hooks: hooks of the session; a StopAfterNEvalsHook ends it.
        config: as for `td.Session`.

    Returns:
        The values of `final_ops`.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", initializer=4.0)
        ...     with td.Session() as session:
        ...         session.run(v.initializer)
        ...         _ = td.train.Saver().save(session, path)
        ...     mean, update = td.metrics.mean(v * [1.0, 2.0])
        ...     stop = td.contrib.training.StopAfterNEvalsHook(3)
        ...     td.contrib.training.evaluate_once(
        ...         path, eval_ops=update, final_ops=mean, hooks=[stop]
        ...     )
        np.float32(6.0)
    """
    hooks = list(hooks or ())
    eval_ops = _counted(eval_ops, hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    log.info("Starting evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    _evaluated(checkpoint_path, master, scaffold, eval_ops, feed_dict, [*hooks, final], config)
    log.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: Any = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Iterable[SessionRunHook] | None = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluates each checkpoint of a folder as it is written: see `evaluate_once`.

    Args:
        checkpoint_dir: the folder.
        master: as for `evaluate_once`, like all arguments not listed here.
        scaffold: as there.
        eval_ops: as there.
        feed_dict: as there.
        final_ops: as there.
        final_ops_feed_dict: as there.
        eval_interval_secs: the least number of seconds from one evaluation to the next.
        hooks: as there.
        config: as there.
        max_number_of_evaluations: maximum number of evaluations; None for no limit.
        timeout: as for `td.train.checkpoints_iterator`.
        timeout_fn: as there.

    Returns:
        The values of `final_ops` of the last evaluation; None if there is none.

    Example:
        >>> import tempfile
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", initializer=4.0)
        ...     td.contrib.training.evaluate_repeatedly(tempfile.mkdtemp(), timeout=0)
    """
    hooks = list(hooks or ())
    eval_ops = _counted(eval_ops, hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for number, path in enumerate(paths, 1):
        log.info("Starting evaluation of %s", path)
        _evaluated(path, master, scaffold, eval_ops, feed_dict, [*hooks, final], config)
        if max_number_of_evaluations is not None and number >= max_number_of_evaluations:
            break
    return final.final_ops_values


def _counted(eval_ops: Any, hooks: Iterable[SessionRunHook]) -> Any:
    """The fetches of a step, including the step counter, which is passed to the hooks."""
    step = get_or_create_eval_step()
    if eval_ops is None:
        return None
    count = assign_add(step, 1)
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook.count(count)
    return [eval_ops, count]


def _evaluated(
    path: str | None,
    master: Any,
    scaffold: Scaffold | None,
    eval_ops: Any,
    feed_dict: Any,
    hooks: list[SessionRunHook],
    config: Any,
) -> None:
    creator = ChiefSessionCreator(
        scaffold, master=master, config=config, checkpoint_filename_with_path=path
    )
    with MonitoredSession(creator, hooks) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
