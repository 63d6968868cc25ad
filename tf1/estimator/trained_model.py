"""Training a model: its graph, and a monitored session that saves as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...graph.default_graph import get_default_graph
from ...graph.scopes.collections import GraphKeys
from ...ops.summaries.scalars_and_histograms import scalar
from ...ops.variable_scopes.global_step import global_step_before
from ...runtime import logging as log
from ...saving.savers.saver import Saver
from ...saving.savers.warm_start import warm_start
from ...training.sessions.hooks import LoggingTensorHook, NanTensorHook
from ...training.sessions.monitored_session import MonitoredTrainingSession
from ...training.sessions.saving_hooks import CheckpointSaverHook, CheckpointSaverListener
from ...training.sessions.session_run_hook import SessionRunHook
from .estimator_spec import EstimatorSpec
from .model_graphs import ModelGraphs
from .model_modes import ModeKeys
from .run_config import RunConfig
from .warm_start_settings import WarmStartSettings


def trained(
    graphs: ModelGraphs,
    input_fn: Callable[..., Any],
    hooks: list[SessionRunHook],
    listeners: Iterable[CheckpointSaverListener],
    begin: WarmStartSettings | None,
) -> Any:
    """Trains, and returns the loss of the last step; None if there is none.

    Args:
        graphs: the model.
        input_fn: the input.
        hooks: hooks of the session.
        listeners: called at each checkpoint.
        begin: the source of initial values.
    """
    config = graphs.config
    with graphs.fresh():
        inputs = graphs.inputs(input_fn, ModeKeys.TRAIN)
        spec = graphs.model(inputs.features, inputs.labels, ModeKeys.TRAIN)
        if begin is not None:
            log.info("Warm-starting with WarmStartSettings: %s", begin)
            warm_start(*begin)
        # Hooks read values that a step may change before the step that they count.
        values = {"loss": spec.loss, "step": global_step_before()}
        every = [*inputs.hooks, *hooks, NanTensorHook(spec.loss)]
        if config.log_step_count_steps:
            every.append(LoggingTensorHook(values, every_n_iter=config.log_step_count_steps))
        every += spec.training_hooks
        _summarize(spec.loss)
        _keep(spec, config)
        chief = [
            *spec.training_chief_hooks,
            *_saving([*every, *spec.training_chief_hooks], spec, config, listeners),
        ]
        with MonitoredTrainingSession(
            config.master,
            checkpoint_dir=config.model_dir,
            scaffold=spec.scaffold,
            hooks=every,
            chief_only_hooks=chief,
            save_checkpoint_secs=0,
            save_summaries_steps=config.save_summary_steps,
            config=config.session_config,
            log_step_count_steps=config.log_step_count_steps,
        ) as session:
            loss = None
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
        if loss is None:
            log.warn(
                "Training with estimator made no steps. Perhaps input is empty or misspecified."
            )
        return loss


def _summarize(loss: Any) -> None:
    """A summary of the loss, unless the model has one."""
    known = get_default_graph().get_collection(GraphKeys.SUMMARIES)
    if not any(summary.op.name == "loss" for summary in known):
        scalar("loss", loss)


def _keep(spec: EstimatorSpec, config: RunConfig) -> None:
    """A saver for the configured number of checkpoints, unless the model has one."""
    graph = get_default_graph()
    if spec.scaffold.saver is None and not graph.get_collection(GraphKeys.SAVERS):
        graph.add_to_collection(
            GraphKeys.SAVERS,
            Saver(
                sharded=True,
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                defer_build=True,
                save_relative_paths=True,
            ),
        )


def _saving(
    hooks: Iterable[SessionRunHook],
    spec: EstimatorSpec,
    config: RunConfig,
    listeners: Iterable[CheckpointSaverListener],
) -> list[SessionRunHook]:
    """The hook that saves and calls the listeners, unless the model has one."""
    saving = [hook for hook in hooks if isinstance(hook, CheckpointSaverHook)]
    made: list[SessionRunHook] = []
    seconds, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
    if not saving and (seconds or steps):
        hook = CheckpointSaverHook(
            config.model_dir or "",
            save_secs=seconds or None,
            save_steps=steps or None,
            scaffold=spec.scaffold,
        )
        saving.append(hook)
        made.append(hook)
    callbacks = list(listeners)
    if callbacks and not saving:
        raise ValueError(
            "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
            "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
        )
    for listener in callbacks:
        saving[0].add_listener(listener)
    return made
