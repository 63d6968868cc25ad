"""The training loops of `slim` and of `contrib.training`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from ....graph.default_graph import get_default_graph
from ....graph.graph import Graph
from ....ops.array.constants import constant
from ....ops.math.comparison import equal, greater_equal
from ....ops.variable_scopes.global_step import get_or_create_global_step
from ....runtime import logging as log
from ....training.sessions.monitored_session import MonitoredTrainingSession
from ....training.sessions.supervisor import Supervisor

public = {
    "td.contrib.slim.learning": "train=train_by_supervisor train_step",
    "td.contrib.training": "train",
}

_DEFAULT = 0  # distinct from None


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, bool]:
    """One step of training, as `td.contrib.slim.learning.train` makes it.

    Args:
        sess: the session.
        train_op: a tensor that trains, and gives the loss.
        global_step: the global step.
        train_step_kwargs: `should_stop`, a tensor that is true at the end, and `should_log`,
            whether to log; each may be missing.

    Returns:
        The loss, and whether to end.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     step = td.train.get_or_create_global_step()
        ...     v = td.Variable(1.0)
        ...     session.run(td.global_variables_initializer())
        ...     td.contrib.slim.learning.train_step(session, v.assign_add(1.0), step, {})
        (np.float32(2.0), False)
    """
    start = time.monotonic()
    loss, step = sess.run([train_op, global_step])
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        seconds = time.monotonic() - start
        log.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, seconds)
    stop = train_step_kwargs.get("should_stop")
    return loss, stop is not None and bool(sess.run(stop))


def train_by_supervisor(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., Any] = train_step,
    train_step_kwargs: Any = _DEFAULT,
    log_every_n_steps: int = 1,
    graph: Graph | None = None,
    master: Any = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _DEFAULT,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = _DEFAULT,
    summary_op: Any = _DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Trains until a number of steps, or the data, end; saves, and writes summaries meanwhile.

    Args:
        train_op: a tensor that trains, and gives the loss, as `create_train_op` makes it.
        logdir: the folder for checkpoints and summaries, from which training resumes; None for
            none.
        train_step_fn: a function as `train_step`, which makes a step.
        train_step_kwargs: its last argument.
        log_every_n_steps: the interval of log lines in steps; None for none.
        graph: the graph; by default the default one.
        master: "": the session runs in this process.
        is_chief: whether this process initializes and saves.
        global_step: the global step; by default that of the graph, which is made where needed.
        number_of_steps: the global step at which to end; None for no end.
        init_op: initializes variables.
        init_feed_dict: its feeds.
        local_init_op: initializes local variables and tables.
        init_fn: called with the session after `init_op`, such as to restore a part of the model.
        ready_op: returns the names of uninitialized variables.
        summary_op: the summaries; by default all.
        save_summaries_secs: the interval in seconds.
        summary_writer: a FileWriter.
        startup_delay_steps: the global step to wait for before the start.
        saver: a Saver; by default one of all variables.
        save_interval_secs: the interval in seconds.
        sync_optimizer: a SyncReplicasOptimizer, or a list of them, whose threads are started.
        session_config: as for `td.Session`.
        session_wrapper: a function from the session to its replacement.
        trace_every_n_steps: accepted for TensorFlow's sake; td.train.ProfilerHook writes traces.
        ignore_live_threads: whether threads that do not end are no error.

    Returns:
        The loss of the last step.

    Raises:
        ValueError: there is no train op; or a number that does not fit.

    Example:
        >>> slim = td.contrib.slim
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", initializer=8.0)
        ...     optimizer = td.train.GradientDescentOptimizer(0.25)
        ...     train_op = slim.learning.create_train_op(v * v, optimizer)
        ...     slim.learning.train(train_op, None, number_of_steps=3)
        np.float32(1.0)
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    if startup_delay_steps < 0 or (startup_delay_steps and sync_optimizer is not None):
        raise ValueError("startup_delay_steps must be zero when `sync_optimizer` is supplied.")
    graph = graph or get_default_graph()
    synced = sync_optimizer if isinstance(sync_optimizer, (list, tuple)) else [sync_optimizer]
    synced = [optimizer for optimizer in synced if optimizer is not None]
    with graph.as_default():
        step = get_or_create_global_step() if global_step is None else global_step
        if not isinstance(train_step_kwargs, dict) and train_step_kwargs == _DEFAULT:
            train_step_kwargs = {}
            if number_of_steps is not None:
                train_step_kwargs["should_stop"] = greater_equal(step, number_of_steps)
            if log_every_n_steps is not None:
                every = constant(log_every_n_steps, step.dtype.base_dtype)
                train_step_kwargs["should_log"] = equal(step % every, 0)
        tokens = [optimizer.get_init_tokens_op() for optimizer in synced if is_chief]
        runners = [optimizer.get_chief_queue_runner() for optimizer in synced if is_chief]
        begun = [
            optimizer.chief_init_op if is_chief else optimizer.local_step_init_op
            for optimizer in synced
        ]
    supervisor = Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=summary_writer,
        global_step=step,
        saver=Supervisor.USE_DEFAULT if saver is None else saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    loss: Any = None
    with supervisor.managed_session(
        master, session_config, start_standard_services=False
    ) as managed:
        session = managed if session_wrapper is None else session_wrapper(managed)
        for op in begun:
            session.run(op)
        log.info("Starting Session.")
        if is_chief and logdir:
            supervisor.start_standard_services(managed)
        elif startup_delay_steps:
            _wait_for_step(session, step, startup_delay_steps)
        for op in tokens:
            session.run(op)
        if runners:
            for thread in supervisor.start_queue_runners(managed, runners):
                if "close_on_stop" not in thread.name:
                    supervisor.coord.release_thread(thread)
        while not supervisor.should_stop():
            loss, ends = train_step_fn(session, train_op, step, train_step_kwargs)
            if ends:
                log.info("Stopping Training.")
                supervisor.request_stop()
        supervisor.stop(close_summary_writer=False, ignore_live_threads=ignore_live_threads)
        keeper, path = supervisor.saver, supervisor.save_path
        if keeper is not None and path:  # by now no thread saves an older state any more
            log.info("Finished training! Saving model to disk.")
            keeper.save(managed, path, global_step=step)
    return loss


def _wait_for_step(session: Any, step: Any, wanted: int) -> None:
    while session.run(step) < wanted:
        time.sleep(1)


def train(
    train_op: Any,
    logdir: str | None,
    master: Any = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Iterable[Any] | None = None,
    chief_only_hooks: Iterable[Any] | None = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: float = 7200,
) -> Any:
    """Runs a train op in a MonitoredTrainingSession until a hook, or the data, end it.

    Args:
        train_op: a tensor that trains, and gives the loss.
        logdir: the folder for checkpoints and summaries.
        master: as for `td.train.MonitoredTrainingSession`, like those that follow.
        is_chief: as there.
        scaffold: as there.
        hooks: as there.
        chief_only_hooks: as there.
        save_checkpoint_secs: as there.
        save_summaries_steps: as there.
        config: as there.
        max_wait_secs: as there.

    Returns:
        The loss of the last step; None if there is none.

    Raises:
        ValueError: something has to be written, but there is no folder.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", initializer=8.0)
        ...     optimizer = td.train.GradientDescentOptimizer(0.25)
        ...     train_op = td.contrib.training.create_train_op(v * v, optimizer)
        ...     stop = td.train.StopAtStepHook(num_steps=3)
        ...     td.contrib.training.train(
        ...         train_op, None, hooks=[stop], save_checkpoint_secs=0, save_summaries_steps=0
        ...     )
        np.float32(1.0)
    """
    if logdir is None and is_chief:
        for name, value in (
            ("save_summaries_steps", save_summaries_steps),
            ("save_checkpoint_secs", save_checkpoint_secs),
        ):
            if value:
                raise ValueError(f"logdir cannot be None when {name} is not None")
    loss: Any = None
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        while not session.should_stop():
            loss = session.run(train_op)
    return loss
