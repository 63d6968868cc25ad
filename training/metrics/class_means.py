"""Metrics of classes: each class counts as much as any other."""

from __future__ import annotations

from typing import Any

from ...ops.array.cast import cast
from ...ops.array.constants import ones_like
from ...ops.array.diag import diag_part
from ...ops.common.public_function import same_arguments
from ...ops.common.shared_docs import shared_docs
from ...ops.math.arithmetic import multiply
from ...ops.math.comparison import equal, not_equal
from ...ops.math.division import div_no_nan
from ...ops.math.reductions import reduce_mean, reduce_sum
from ...ops.statistics.count_nonzero import confusion_matrix
from ...ops.variable_scopes.variable_scope import variable_scope
from ...ops.variables.assign import assign_add
from ...ops.variables.variable_scatters import scatter_add
from ...protos.dtypes import float32, float64, int64
from .accuracy_and_counts import aligned, described, flat, listed, metric_variable, spread

public = {"td.metrics": "mean_iou mean_per_class_accuracy"}


def met(labels: Any, predictions: Any, num_classes: int, weights: Any) -> Any:
    """Confusion matrix of one batch."""
    y, x = aligned(cast(labels, int64), cast(predictions, int64))
    factors = None if weights is None else flat(spread(weights, x, float64))
    return confusion_matrix(flat(y), flat(x), num_classes, float64, weights=factors)


def _counted(labels: Any, predictions: Any, num_classes: int, weights: Any) -> tuple[Any, Any]:
    """Confusion matrix over all batches: a variable and its update."""
    matrix = metric_variable([num_classes, num_classes], "total_confusion_matrix", float64)
    return matrix, assign_add(matrix, met(labels, predictions, num_classes, weights))


_of_classes = shared_docs(
    {
        "labels": "the number of the class that is right.",
        "predictions": "the class that was predicted, of the same shape.",
    },
)


@described
@_of_classes
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over classes of intersection by union of labels and predictions.

    Classes that are neither among the labels nor predicted do not count.

    Returns:
        A tensor of the value so far, and one that takes this batch in: how often
        each label met each prediction so far.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.mean_iou([0, 1, 1], [0, 1, 0], 2)
        ...     session.run(td.local_variables_initializer())
        ...     _ = session.run(update)
        ...     print(session.run(value))
        0.5
    """
    with variable_scope(name, "mean_iou", [predictions, labels, weights]):
        matrix, new = _counted(labels, predictions, num_classes, weights)
        value = iou(matrix, "mean_iou")
        return listed(value, new, metrics_collections, updates_collections)


def iou(matrix: Any, name: str) -> Any:
    """Mean intersection over union, from the confusion matrix."""
    counts = cast(matrix, float32)
    both = diag_part(counts)
    either = reduce_sum(counts, 0) + reduce_sum(counts, 1) - both
    present = reduce_sum(cast(not_equal(either, 0.0), float32))
    return div_no_nan(reduce_sum(div_no_nan(both, either)), present, name=name)


@described
@_of_classes
@same_arguments(mean_iou)
def mean_per_class_accuracy(*arguments: Any) -> tuple[Any, Any]:
    """Mean per-class accuracy.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is what each
        class has.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.mean_per_class_accuracy([0, 1, 1], [0, 1, 0], 2)
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        [1.  0.5]
    """
    labels, predictions, num_classes, weights, *collections, name = arguments
    with variable_scope(name, "mean_accuracy", [predictions, labels, weights]):
        y, x = (flat(cast(tensor, int64)) for tensor in aligned(labels, predictions))
        total, count = (
            metric_variable([num_classes], "total"),
            metric_variable([num_classes], "count"),
        )
        number, right = ones_like(y, dtype=float32), cast(equal(x, y), float32)
        if weights is not None:
            number = flat(spread(weights, y))
            right = multiply(right, number)
        new_total, new_count = scatter_add(total, y, number), scatter_add(count, y, right)
        value = reduce_mean(div_no_nan(count, total), name="mean_accuracy")
        update = div_no_nan(new_count, new_total, name="update_op")
        return listed(value, update, *collections)
