"""Metrics of classifiers at thresholds: counts, precision, recall, and one where the other is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...graph.default_scopes import control_dependencies
from ...ops.array.cast import cast
from ...ops.array.constants import constant
from ...ops.array.identity import identity
from ...ops.array.reshape import expand_dims
from ...ops.common.public_function import public_function, same_arguments
from ...ops.common.shared_docs import shared_docs
from ...ops.debugging.assertions import assert_greater_equal, assert_less_equal
from ...ops.math.argmax import argmax, argmin
from ...ops.math.arithmetic import abs as magnitude, multiply
from ...ops.math.comparison import equal, greater
from ...ops.math.cumsum import cumsum
from ...ops.math.division import div_no_nan, truediv
from ...ops.math.logical import logical_and
from ...ops.math.reductions import reduce_min, reduce_sum
from ...ops.variable_scopes.variable_scope import variable_scope
from ...ops.variables.assign import assign_add
from ...protos.dtypes import bool as boolean, float32, int64
from .accuracy_and_counts import aligned, described, flat, listed, metric_variable, spread

if TYPE_CHECKING:
    Counts = dict[str, Any]

public = {
    "td.metrics": (
        "false_negatives_at_thresholds false_positives_at_thresholds precision_at_thresholds "
        "recall_at_thresholds sensitivity_at_specificity specificity_at_sensitivity "
        "true_negatives_at_thresholds true_positives_at_thresholds"
    ),
}

CASES = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}
_SMALL = 1e-7
_ENDS = ((assert_greater_equal, 0.0), (assert_less_equal, 1.0))


def counts_at(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    cases: Sequence[str] = (*CASES,),
) -> tuple[Counts, Counts]:
    """Confusion counts at each threshold: by case, variables and updates.

    A run in which a prediction is not in [0, 1] is refused.
    """
    batch = seen_at(labels, in_unit_interval(predictions), thresholds, weights, cases)
    counts = {case: metric_variable([len(thresholds)], case) for case in cases}
    updates = {case: assign_add(counts[case], batch[case]) for case in cases}
    return {case: identity(count) for case, count in counts.items()}, updates


def in_unit_interval(predictions: Any) -> Any:
    """Predictions as float32; a run in which one is not in [0, 1] is refused."""
    message, values = "predictions must be in [0, 1]", cast(predictions, float32)
    checks = [check(values, end, message=message) for check, end in _ENDS]
    with control_dependencies(checks):
        return identity(values, name="predictions")


def seen_at(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, cases: Sequence[str]
) -> Counts:
    """Confusion counts at each threshold in one batch: by case, a vector."""
    y, x = aligned(cast(labels, boolean), predictions)
    steps = constant(np.array(thresholds)[:, None], float32)
    above, right = greater(expand_dims(flat(x), 0), steps), expand_dims(flat(y), 0)
    factors = None if weights is None else flat(spread(weights, x))
    counts = {}
    for case in cases:
        label, prediction = CASES[case]
        met = cast(logical_and(equal(right, label), equal(above, prediction)), float32)
        counts[case] = reduce_sum(met if factors is None else multiply(met, factors), 1)
    return counts


def even_thresholds(number: int) -> list[float]:
    """Thresholds from a little below 0 to a little above 1."""
    return around([(i + 1) / (number - 1) for i in range(number - 2)])


def around(inner: Sequence[float]) -> list[float]:
    """Thresholds, with one a little below 0 and one a little above 1."""
    return [0.0 - _SMALL, *inner, 1.0 + _SMALL]


def _example(name: str, further: str, printed: str) -> str:
    return f"""

        Args:
            labels: what is right; taken as booleans.
            predictions: probabilities, of the same shape.
            thresholds: a list of numbers between 0 and 1.

        Example:
            >>> with td.Graph().as_default(), td.Session() as session:
            ...     labels, predictions = [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]
            ...     value, update = td.metrics.{name}(labels, predictions, {further})
            ...     session.run(td.local_variables_initializer())
            ...     print(session.run(update).round(3))
            {printed}
        """


class MetricAtThresholds(Protocol):
    """The public function of a metric that has a value at each threshold."""

    def __call__(
        self,
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        """The value at each threshold, and the op that takes a batch in."""


def _at_thresholds(
    name: str,
    scope: str,
    cases: tuple[str, ...],
    result: Callable[[Counts, str], Any],
    doc: str,
    printed: str,
) -> MetricAtThresholds:
    """A metric at each of some thresholds, from counts of some cases."""

    @same_arguments(MetricAtThresholds.__call__)
    def call(*arguments: Any) -> tuple[Any, Any]:
        labels, predictions, thresholds, weights, *collections, name = arguments
        with variable_scope(name, scope, [predictions, labels, weights]):
            counts, updates = counts_at(labels, predictions, thresholds, weights, cases)
            return listed(result(counts, "value"), result(updates, "update_op"), *collections)

    whole = doc + _example(name, "[0.3, 0.5]", printed)
    return described(public_function(call, name, whole, module=__name__))


def _counted(case: str, doc: str, printed: str) -> MetricAtThresholds:
    return _at_thresholds(
        f"{case}_at_thresholds", case, (case,), lambda counts, _: counts[case], doc, printed
    )


def _share(name: str, other: str, doc: str, printed: str) -> MetricAtThresholds:
    def share(counts: Counts, end: str) -> Any:
        right = counts["true_positives"]
        return div_no_nan(right, _SMALL + right + counts[other], name=f"{name}_{end}")

    cases = ("true_positives", other)
    return _at_thresholds(
        f"{name}_at_thresholds", f"{name}_at_thresholds", cases, share, doc, printed
    )


true_positives_at_thresholds = _counted(
    "true_positives", "True positives at each threshold.", "[2. 1.]"
)
true_negatives_at_thresholds = _counted(
    "true_negatives", "True negatives at each threshold.", "[1. 1.]"
)
false_positives_at_thresholds = _counted(
    "false_positives", "False positives at each threshold.", "[1. 1.]"
)
false_negatives_at_thresholds = _counted(
    "false_negatives", "False negatives at each threshold.", "[0. 1.]"
)
precision_at_thresholds = _share(
    "precision",
    "false_positives",
    "Precision at each threshold.",
    "[0.667 0.5  ]",
)
recall_at_thresholds = _share(
    "recall",
    "false_negatives",
    "Recall at each threshold.",
    "[1.  0.5]",
)


def _checked(name: str, value: float) -> None:
    if value < 0 or value > 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value}")


_documented = shared_docs(
    {
        "labels": "what is right; taken as booleans.",
        "predictions": "probabilities, of the same shape.",
        "num_thresholds": "the number of thresholds from 0 to 1.",
    },
    raises=("ValueError: the shapes do not fit, or the share is not between 0 and 1."),
)


@described
@_documented
def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Sensitivity (recall) at a given specificity.

    Args:
        specificity: the share of what is not true, by which the threshold is chosen.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     labels, predictions = [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]
        ...     _, update = td.metrics.sensitivity_at_specificity(labels, predictions, 0.9)
        ...     session.run(td.local_variables_initializer())
        ...     print(round(float(session.run(update)), 3))
        0.5
    """
    _checked("specificity", specificity)

    def sensitivity(c: Counts, end: str) -> Any:
        rates = truediv(c["true_negatives"], c["true_negatives"] + c["false_positives"] + _SMALL)
        place = argmin(magnitude(rates - specificity), 0)
        right, wrong = c["true_positives"][place], c["false_negatives"][place]
        return truediv(right, right + wrong + _SMALL, name=end)

    with variable_scope(name, "sensitivity_at_specificity", [predictions, labels, weights]):
        counts, updates = counts_at(labels, predictions, even_thresholds(num_thresholds), weights)
        value, update = sensitivity(counts, "value"), sensitivity(updates, "update_op")
        return listed(value, update, metrics_collections, updates_collections)


@described
@_documented
def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Specificity at a given sensitivity (recall).

    Args:
        sensitivity: the share of what is true, by which the threshold is chosen.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     labels, predictions = [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]
        ...     _, update = td.metrics.specificity_at_sensitivity(labels, predictions, 0.9)
        ...     session.run(td.local_variables_initializer())
        ...     print(round(float(session.run(update)), 3))
        0.5
    """
    _checked("sensitivity", sensitivity)

    def specificity(c: Counts, end: str) -> Any:
        rates = truediv(c["true_positives"], c["true_positives"] + c["false_negatives"] + _SMALL)
        beside = magnitude(rates - sensitivity)
        # Of the thresholds that are as near as any, the highest.
        nearest = cast(equal(beside, reduce_min(beside)), int64)
        place = argmax(cumsum(nearest), 0)
        right, wrong = c["true_negatives"][place], c["false_positives"][place]
        return truediv(right, right + wrong + _SMALL, name=end)

    with variable_scope(name, "specificity_at_sensitivity", [predictions, labels, weights]):
        # The last is below 1, as TensorFlow has it: what is predicted for certain stays above it.
        thresholds = [*even_thresholds(num_thresholds)[:-1], 1.0 - _SMALL]
        counts, updates = counts_at(labels, predictions, thresholds, weights)
        value, update = specificity(counts, "value"), specificity(updates, "update_op")
        return listed(value, update, metrics_collections, updates_collections)
