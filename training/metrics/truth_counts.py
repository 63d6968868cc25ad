"""Metrics of binary classification: confusion counts, precision, recall."""

from __future__ import annotations

from typing import Any

from ...ops.array.cast import cast
from ...ops.array.identity import identity
from ...ops.math.arithmetic import multiply
from ...ops.math.comparison import equal
from ...ops.math.division import div_no_nan
from ...ops.math.logical import logical_and
from ...ops.math.reductions import reduce_sum
from ...ops.variable_scopes.variable_scope import variable_scope
from ...ops.variables.assign import assign_add
from ...protos.dtypes import bool as boolean, float32
from .accuracy_and_counts import Metric, aligned, metric, metric_variable, spread

public = {
    "td.metrics": (
        "false_negatives false_positives precision recall true_negatives true_positives"
    ),
}


def _count(case: tuple[bool, bool], default_name: str, doc: str, printed: str) -> Metric:
    """The metric of how often label and prediction were the two of the case."""

    def count(labels: Any, predictions: Any, weights: Any, name: str | None) -> tuple[Any, Any]:
        with variable_scope(name, default_name, [predictions, labels, weights]):
            y, x = aligned(cast(labels, boolean), cast(predictions, boolean))
            is_case = cast(logical_and(equal(y, case[0]), equal(x, case[1])), float32)
            total = metric_variable([], "count")
            if weights is not None:
                is_case = multiply(is_case, spread(weights, is_case))
            return identity(total), assign_add(total, reduce_sum(is_case))

    count.__name__, count.__doc__ = default_name, doc
    return metric("[1, 1, 0, 0, 0], [1, 0, 0, 1, 1]", printed)(count)


true_positives = _count((True, True), "true_positives", "Number of true positives.", "1.0")
true_negatives = _count((False, False), "true_negatives", "Number of true negatives.", "1.0")
false_positives = _count((False, True), "false_positives", "Number of false positives.", "2.0")
false_negatives = _count((True, False), "false_negatives", "Number of false negatives.", "1.0")


@metric("[1, 1, 1, 0], [1, 0, 0, 1]", "0.5")
def precision(labels: Any, predictions: Any, weights: Any, name: str | None) -> tuple[Any, Any]:
    """Precision: the share of positive predictions that are true."""
    with variable_scope(name, "precision", [predictions, labels, weights]):
        right = true_positives(labels, predictions, weights)
        return _share(right, false_positives(labels, predictions, weights))


@metric("[1, 1, 1, 0], [1, 0, 0, 1]", "0.33333334")
def recall(labels: Any, predictions: Any, weights: Any, name: str | None) -> tuple[Any, Any]:
    """Recall: the share of positives that are predicted."""
    with variable_scope(name, "recall", [predictions, labels, weights]):
        right = true_positives(labels, predictions, weights)
        return _share(right, false_negatives(labels, predictions, weights))


def _share(right: tuple[Any, Any], wrong: tuple[Any, Any]) -> tuple[Any, Any]:
    """Share of right cases among both: the value so far, and with this batch."""
    value = div_no_nan(right[0], right[0] + wrong[0], name="value")
    return value, div_no_nan(right[1], right[1] + wrong[1], name="update_op")
