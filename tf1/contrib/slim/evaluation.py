"""Evaluation as `slim` has it: a number of steps, and summaries at their end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ....ops.summaries.text_and_merge import merge_all
from ....saving.savers.saver import Saver
from ....training.sessions.session_creation import Scaffold
from ....training.sessions.session_run_hook import SessionRunHook
from ..training.evaluation import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    evaluate_once as evaluated,
    evaluate_repeatedly,
)

public = {"td.contrib.slim.evaluation": "evaluate_once evaluation_loop"}

_DEFAULT = 0  # distinct from None, which writes no summaries


def evaluate_once(
    master: Any,
    checkpoint_path: str | None,
    logdir: str,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Iterable[SessionRunHook] | None = None,
) -> Any:
    """Evaluates a checkpoint.

    Args:
        master: "": a session runs in this process.
        checkpoint_path: the checkpoint.
        logdir: the folder for summaries.
        num_evals: number of steps of the evaluation.
        initial_op: the op to run first; by default the initialization of variables.
        initial_op_feed_dict: its feeds.
        eval_op: the op to run in each step, such as the updates of metrics.
        eval_op_feed_dict: its feeds.
        final_op: the fetches at the end, such as the values of metrics.
        final_op_feed_dict: its feeds.
        summary_op: the summaries; by default all of the graph, None for none.
        summary_op_feed_dict: its feeds.
        variables_to_restore: the variables to restore; by default all global variables.
        session_config: as for `td.Session`.
        hooks: further hooks of the session.

    Returns:
        The value of `final_op`.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", initializer=4.0)
        ...     with td.Session() as session:
        ...         session.run(v.initializer)
        ...         path = td.train.Saver().save(session, os.path.join(folder, "model"))
        ...     mean, update = td.metrics.mean(v)
        ...     td.contrib.slim.evaluation.evaluate_once(
        ...         "", path, folder, num_evals=2, eval_op=update, final_op=mean
        ...     )
        np.float32(4.0)
    """
    return evaluated(
        checkpoint_path,
        master,
        _scaffold(initial_op, initial_op_feed_dict, variables_to_restore),
        eval_op,
        eval_op_feed_dict,
        final_op,
        final_op_feed_dict,
        _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        session_config,
    )


def evaluation_loop(
    master: Any,
    checkpoint_dir: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
) -> Any:
    """Evaluates each checkpoint of a folder as it is written.

    Args:
        master: as for `evaluate_once`, like all arguments not listed here.
        checkpoint_dir: the folder.
        logdir: the folder for summaries.
        num_evals: as there.
        initial_op: as there.
        initial_op_feed_dict: as there.
        init_fn: called with the session after `initial_op`.
        eval_op: as there.
        eval_op_feed_dict: as there.
        final_op: as there.
        final_op_feed_dict: as there.
        summary_op: as there.
        summary_op_feed_dict: as there.
        variables_to_restore: as there.
        eval_interval_secs: the least number of seconds from one evaluation to the next.
        max_number_of_evaluations: maximum number of evaluations; None for no limit.
        session_config: as there.
        timeout: as for `td.train.checkpoints_iterator`.
        timeout_fn: as there.
        hooks: as there.

    Returns:
        The value of `final_op` of the last evaluation; None if there is none.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", initializer=4.0)
        ...     td.contrib.slim.evaluation.evaluation_loop("", folder, folder, timeout=0)
    """
    return evaluate_repeatedly(
        checkpoint_dir,
        master,
        _scaffold(initial_op, initial_op_feed_dict, variables_to_restore, init_fn),
        eval_op,
        eval_op_feed_dict,
        final_op,
        final_op_feed_dict,
        eval_interval_secs,
        _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        session_config,
        max_number_of_evaluations,
        timeout,
        timeout_fn,
    )


def _scaffold(op: Any, feeds: Any, variables_to_restore: Any, init_fn: Any = None) -> Scaffold:
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    call = None if init_fn is None else lambda scaffold, session: init_fn(session)
    return Scaffold(init_op=op, init_feed_dict=feeds, init_fn=call, saver=saver)


def _hooks(
    num_evals: int,
    logdir: str,
    summary_op: Any,
    feeds: Any,
    hooks: Iterable[SessionRunHook] | None,
) -> list[SessionRunHook]:
    if isinstance(summary_op, int) and summary_op == _DEFAULT:
        summary_op = merge_all()
    all_hooks: list[SessionRunHook] = [StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        all_hooks.append(SummaryAtEndHook(logdir, summary_op=summary_op, feed_dict=feeds))
    return [*all_hooks, *(hooks or ())]
