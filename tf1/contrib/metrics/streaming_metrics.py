"""Metrics that take predictions first, as `td.contrib.metrics` and `slim.metrics` have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.common.public_function import bound_arguments, public_function, sign
from ....ops.math.arithmetic import multiply
from ....ops.math.comparison import equal
from ....ops.math.division import truediv
from ....ops.math.reductions import reduce_mean, reduce_sum
from ....protos.dtypes import float32
from ....training.metrics import auc, class_means, means, truth_counts
from ....training.metrics.accuracy_and_counts import described

public = {
    "td.contrib.metrics, td.contrib.slim.metrics": (
        "accuracy aggregate_metric_map aggregate_metrics streaming_accuracy streaming_auc "
        "streaming_false_negatives streaming_false_positives streaming_mean "
        "streaming_mean_absolute_error streaming_mean_iou streaming_mean_squared_error "
        "streaming_mean_tensor streaming_precision streaming_recall "
        "streaming_root_mean_squared_error streaming_true_negatives streaming_true_positives"
    ),
}

_LABELS, _GUESSES = "[1, 0, 1, 1]", "[1, 1, 1, 0]"


def _doc(metric: str, new: str, older: str) -> str:
    return f"""`td.metrics.{metric}`, with predictions first.

        Example:
            >>> with td.Graph().as_default(), td.Session() as session:
            ...     one = td.contrib.metrics.{older}[1]
            ...     other = td.metrics.{new}[1]
            ...     session.run(td.local_variables_initializer())
            ...     (session.run(one) == session.run(other)).all()
            np.True_
        """


def predictions_first(metric: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    """A metric of labels and predictions with predictions first.

    Args:
        metric: the metric.
        name: the name of the function.
        doc: its docstring.
    """
    labels, predictions, *rest = signature(metric).parameters.values()
    head = signature(metric).replace(parameters=[predictions, labels, *rest])

    def call(*args: Any, **kwargs: Any) -> Any:
        return metric(**bound_arguments(head, name, args, kwargs))

    sign(call, head)
    return described(public_function(call, name, doc))


def _turned(metric: Callable[..., Any]) -> Callable[..., Any]:
    known = metric.__name__
    older = f"streaming_{known}({_GUESSES}, {_LABELS})"
    doc = _doc(known, f"{known}({_LABELS}, {_GUESSES})", older)
    return predictions_first(metric, f"streaming_{known}", doc)


streaming_accuracy = _turned(means.accuracy)
streaming_mean_absolute_error = _turned(means.mean_absolute_error)
streaming_mean_squared_error = _turned(means.mean_squared_error)
streaming_root_mean_squared_error = _turned(means.root_mean_squared_error)
streaming_precision = _turned(truth_counts.precision)
streaming_recall = _turned(truth_counts.recall)
streaming_true_positives = _turned(truth_counts.true_positives)
streaming_true_negatives = _turned(truth_counts.true_negatives)
streaming_false_positives = _turned(truth_counts.false_positives)
streaming_false_negatives = _turned(truth_counts.false_negatives)


def _as_it_is(metric: Callable[..., Any], name: str, arguments: str) -> Callable[..., Any]:
    """A metric of values under its older name."""

    def call(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        return metric(*args, **kwargs)

    call.__wrapped__ = metric  # type: ignore[attr-defined]
    doc = _doc(metric.__name__, f"{metric.__name__}({arguments})", f"{name}({arguments})")
    doc = doc.replace(", with predictions first", " under an older name")
    return described(public_function(call, name, doc, module=__name__))


streaming_mean = _as_it_is(means.mean, "streaming_mean", "[1.0, 2.0]")
streaming_mean_tensor = _as_it_is(means.mean_tensor, "streaming_mean_tensor", "[1.0, 2.0]")


streaming_mean_iou = predictions_first(
    class_means.mean_iou,
    "streaming_mean_iou",
    """`td.metrics.mean_iou`, with predictions first.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.contrib.metrics.streaming_mean_iou([0, 1, 0], [0, 1, 1], 2)
        ...     session.run(td.local_variables_initializer())
        ...     _ = session.run(update)
        ...     session.run(value)
        np.float32(0.5)
    """,
)


@described
def streaming_auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> tuple[Any, Any]:
    """`td.metrics.auc`, with predictions first.

    Args:
        num_thresholds: number of thresholds, from 0 to 1.
        curve: "ROC" or "PR".

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     _, update = td.contrib.metrics.streaming_auc([0.9, 0.6, 0.4, 0.1], [1, 0, 1, 0])
        ...     session.run(td.local_variables_initializer())
        ...     print(round(float(session.run(update)), 3))
        0.75
    """
    return auc.auc(
        labels,
        predictions,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        curve,
        name,
    )


@described
def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """Accuracy of the predictions in this batch only.

    Returns:
        A Tensor of rank 0.

    Raises:
        ValueError: the dtypes differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     predictions, labels = td.constant([1, 2]), td.constant([1, 3])
        ...     session.run(td.contrib.metrics.accuracy(predictions, labels))
        np.float32(0.5)
    """
    if labels.dtype.base_dtype is not predictions.dtype.base_dtype:
        raise ValueError(
            f"predictions and labels must have equal dtypes, got {predictions.dtype.name} and "
            f"{labels.dtype.name}"
        )
    with name_scope(name, "accuracy", [predictions, labels]):
        right = cast(equal(predictions, labels), float32)
        if weights is None:
            return reduce_mean(right)
        # Weights of another shape than the labels count as often as they are broadcast.
        total = reduce_sum(multiply(cast(equal(right, right), float32), weights))
        return truediv(reduce_sum(multiply(right, weights)), total)


def aggregate_metrics(*value_update_tuples: tuple[Any, Any]) -> tuple[list[Any], list[Any]]:
    """The values and the updates of several metrics.

    Args:
        value_update_tuples: the results of metrics.

    Returns:
        A list of the values, and one of the updates.

    Raises:
        ValueError: there are none.

    Example:
        >>> td.contrib.metrics.aggregate_metrics(("value", "update"), ("another", "its update"))
        (['value', 'another'], ['update', 'its update'])
    """
    if not value_update_tuples:
        raise ValueError("at least one metric is needed")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: Mapping[str, tuple[Any, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values and the updates of several metrics, by name.

    Args:
        names_to_tuples: the results of metrics, by name.

    Returns:
        A dict of the values, and one of the updates.

    Example:
        >>> td.contrib.metrics.aggregate_metric_map({"accuracy": ("value", "update")})
        ({'accuracy': 'value'}, {'accuracy': 'update'})
    """
    values, updates = aggregate_metrics(*names_to_tuples.values())
    return (
        dict(zip(names_to_tuples, values, strict=True)),
        dict(zip(names_to_tuples, updates, strict=True)),
    )
