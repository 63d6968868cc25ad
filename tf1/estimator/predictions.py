"""Predictions of a model from a checkpoint, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...graph.default_graph import get_default_graph
from ...training.sessions.monitored_session import MonitoredSession
from ...training.sessions.session_creation import ChiefSessionCreator
from ...training.sessions.session_run_hook import SessionRunHook
from .input_functions import warn_of_no_end
from .model_graphs import ModelGraphs
from .model_modes import ModeKeys


def predictions(
    graphs: ModelGraphs,
    input_fn: Callable[..., Any],
    keys: Iterable[str] | str | None,
    hooks: list[SessionRunHook],
    checkpoint_path: str | None,
    one_by_one: bool,
) -> Iterator[Any]:
    """Predictions of a model; nothing is built before the first is requested.

    Args:
        graphs: the model.
        input_fn: the input.
        keys: the predictions to return; None for all.
        hooks: hooks of the session.
        checkpoint_path: the checkpoint; None for initial values.
        one_by_one: whether examples come one by one.
    """
    with graphs.fresh():
        inputs = graphs.inputs(input_fn, ModeKeys.PREDICT)
        warn_of_no_end(inputs)
        spec = graphs.model(inputs.features, None, ModeKeys.PREDICT)
        wanted = _chosen(spec.predictions, keys)
        creator = ChiefSessionCreator(
            spec.scaffold,
            config=graphs.config.session_config,
            checkpoint_filename_with_path=checkpoint_path,
        )
        session = MonitoredSession(creator, [*inputs.hooks, *hooks, *spec.prediction_hooks])
        graph = get_default_graph()
    # The graph is the default during runs, but not while the caller uses the results.
    with session:
        while not session.should_stop():
            with graph.as_default():
                batch = session.run(wanted)
            yield from _examples(batch) if one_by_one else [batch]


def _chosen(found: Any, keys: Iterable[str] | str | None) -> Any:
    """Those of the predictions that are wanted."""
    if keys is None:
        return found
    wanted = [keys] if isinstance(keys, str) else list(keys)
    if not isinstance(found, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {key: value for key, value in found.items() if key in wanted}
    if not chosen:
        raise ValueError(
            f"Expected to run at least one output from {list(found)}, provided {wanted}."
        )
    return chosen


def _examples(batch: Any) -> Iterable[Any]:
    """The rows of a batch; of a dict of batches dicts."""
    if not isinstance(batch, dict):
        return list(batch)
    return [{key: value[row] for key, value in batch.items()} for row in range(_length(batch))]


def _length(batch: Mapping[str, Any]) -> int:
    lengths = {
        key: len(value) if getattr(value, "ndim", 0) else None for key, value in batch.items()
    }
    if len(set(lengths.values())) != 1 or None in lengths.values():
        raise ValueError(
            f"Batch length of predictions should be same; got {lengths}: ask for whole batches by "
            "yield_single_examples=False"
        )
    [length] = {length for length in lengths.values() if length is not None}
    return length
