"""Losses and metrics of a model as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import unwrap
from typing import Any, NamedTuple

from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...ops.array.cast import cast
from ...ops.array.placeholder import placeholder, placeholder_with_default
from ...ops.array.reshape import expand_dims, reshape
from ...ops.array.shapes import shape
from ...ops.math.add_n import add_n
from ...ops.math.reductions import reduce_mean
from ..backend.keras_tensors import mask_of
from ..losses import loss_functions, named_losses
from ..losses.loss_classes import Loss
from ..metrics import accuracy_functions, named_metrics
from ..metrics.metric import MeanMetricWrapper, Metric


class Objectives(NamedTuple):
    """The tensors of a model that has been compiled.

    Args:
        targets: placeholders of labels.
        weights: a placeholder of how much each example counts.
        loss: what is made small.
        names: "loss", then what the numbers are called.
        numbers: the loss, then losses of outputs where there are several, and metrics.
        per_batch: how many of them, behind the loss, count each batch alike, whatever its size.
        metrics: the metrics that are objects; what they come to is of all batches so far.
        gathered: the places of their numbers.
    """

    targets: list[Tensor]
    weights: Tensor
    loss: Any
    names: list[str]
    numbers: list[Any]
    per_batch: int
    metrics: list[Any]
    gathered: list[int]


def objectives_of(
    outputs: Sequence[Any],
    names: Sequence[str],
    loss: Any,
    metrics: Any,
    loss_weights: Any,
    extra: Sequence[Any],
) -> Objectives:
    """Builds losses and metrics.

    Args:
        outputs: what the model gives.
        names: what the outputs are called.
        loss: a word, a function or a Loss; for several outputs also a list or a dict by name.
        metrics: a list of words, functions and metrics, or for several outputs a dict by name.
        loss_weights: factors of the losses of outputs, a list or a dict by name.
        extra: further losses, such as those of regularizers.
    """
    losses = [named_losses.get(item) for item in _for_outputs(loss, names, "loss")]
    factors = _for_outputs(loss_weights, names, "loss_weights")
    judged = _metrics_for(metrics, names)
    several = len(outputs) > 1
    targets: list[Any] = []
    parts: list[Any] = []
    judgements: list[tuple[str, Any]] = []
    named: dict[str, Any] = {}
    objects: dict[int, Any] = {}
    weights = placeholder_with_default([1.0], [None], name="sample_weights")
    for output, name, function, factor, functions in zip(
        outputs, names, losses, factors, judged, strict=True
    ):
        # An output without a loss has labels, too, if metrics are to judge it.
        if function is None and not functions:
            continue
        sizes = None if output.shape.rank is None else [None] * output.shape.rank
        target = placeholder(output.dtype.base_dtype, sizes, name=f"{name}_target")
        targets.append(target)
        with name_scope("loss"):
            if function is not None:
                part = _mean_loss(function, target, output, weights)
                parts.append(part if factor is None else part * factor)
                if several:
                    named[f"{name}_loss"] = part
        for item in functions:
            metric, word = _metric(item, function, output)
            mask = mask_of(output)
            if mask is not None and not isinstance(metric, Metric):
                metric = MeanMetricWrapper(metric, name=word)
            with name_scope(f"metrics/{word}"):
                weighted = {"sample_weight": mask} if isinstance(metric, Metric) else {}
                value = metric(target, output, **weighted)
                if isinstance(metric, Metric):
                    objects[len(judgements)] = metric
                mean = reduce_mean(cast(value, "float32"))
                judgements.append((f"{name}_{word}" if several else word, mean))
    total = add_n([*parts, *(cast(item, "float32") for item in extra)])
    shown = [("loss", total), *named.items(), *judgements]
    names_of, numbers = [name for name, _ in shown], [number for _, number in shown]
    gathered = [1 + len(named) + place for place in objects]
    metrics_made = list(objects.values())
    return Objectives(
        targets, weights, total, names_of, numbers, len(named), metrics_made, gathered
    )


def _mean_loss(function: Any, target: Any, output: Any, weights: Any) -> Any:
    """The mean over all examples, each of which counts as much as its weight says."""
    call = function.call if isinstance(function, Loss) else function
    losses = call(target, output)
    mask = mask_of(output)
    if mask is not None and (losses.shape.rank or 0) >= mask.shape.rank:
        counts = cast(mask, losses.dtype)
        for _ in range(losses.shape.rank - mask.shape.rank):
            counts = expand_dims(counts, -1)
        losses = losses * counts
    if losses.shape.rank == 0:
        return losses
    columns = losses if losses.shape.rank == 1 else reshape(losses, [shape(losses)[0], -1])
    if losses.shape.rank != 1:
        columns = reduce_mean(columns, axis=-1)
    return reduce_mean(columns * cast(weights, columns.dtype))


def _for_outputs(items: Any, names: Sequence[str], what: str) -> list[Any]:
    """Expands an argument to one item per output."""
    if isinstance(items, dict):
        if unknown := [name for name in items if name not in names]:
            raise ValueError(f"{what} names {unknown}, but the outputs are {list(names)}")
        return [items.get(name) for name in names]
    if isinstance(items, (list, tuple)):
        if len(items) != len(names):
            raise ValueError(
                f"{what} has {len(items)} items for {len(names)} outputs {list(names)}"
            )
        return list(items)
    return [items] * len(names)


def _metrics_for(metrics: Any, names: Sequence[str]) -> list[list[Any]]:
    """The metrics of each output."""
    if isinstance(metrics, dict) or (
        isinstance(metrics, (list, tuple)) and any(isinstance(m, (list, tuple)) for m in metrics)
    ):
        specs = _for_outputs(metrics, names, "metrics")
    else:
        specs = [metrics] * len(names)
    return [
        [] if item is None else list(item) if isinstance(item, (list, tuple)) else [item]
        for item in specs
    ]


def _metric(item: Any, loss: Any, output: Any) -> tuple[Any, str]:
    """The function that a metric is, and what it is called."""
    if not isinstance(item, str) or item not in ("accuracy", "acc"):
        function = named_metrics.get(item)
        return function, getattr(function, "__name__", None) or function.name
    function = unwrap(getattr(loss, "function", loss))  # users hold it with a guard around it
    if output.shape.as_list()[-1] == 1 or function is unwrap(loss_functions.binary_crossentropy):
        return accuracy_functions.binary_accuracy, "acc"
    if function is unwrap(loss_functions.sparse_categorical_crossentropy):
        return accuracy_functions.sparse_categorical_accuracy, "acc"
    return accuracy_functions.categorical_accuracy, "acc"
