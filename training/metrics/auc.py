"""The area under the curve of a classifier, over many thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.array.constants import ones_like
from ...ops.math.arithmetic import maximum, minimum, multiply
from ...ops.math.comparison import greater
from ...ops.math.division import div_no_nan
from ...ops.math.exponentials import log
from ...ops.math.logical import logical_and
from ...ops.math.reductions import reduce_sum
from ...ops.math.where import where
from ...ops.variable_scopes.variable_scope import variable_scope
from .accuracy_and_counts import described, listed
from .at_thresholds import around, counts_at, even_thresholds

public = {"td.metrics": "auc"}

_CURVES = ("ROC", "PR")
_HEIGHTS: dict[str, Callable[[Any], Any]] = {
    "trapezoidal": lambda y: (y[:-1] + y[1:]) / 2.0,
    "careful_interpolation": lambda y: (y[:-1] + y[1:]) / 2.0,
    "minoring": lambda y: minimum(y[:-1], y[1:]),
    "majoring": lambda y: maximum(y[:-1], y[1:]),
}


@described
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> tuple[Any, Any]:
    """The area under the curve of a classifier, summed up between thresholds.

    Args:
        labels: what is right; taken as booleans.
        predictions: probabilities, of the same shape.
        num_thresholds: the number of thresholds from 0 to 1.
        curve: "ROC": recall over the rate of false alarms; "PR": precision over recall.
        summation_method: "trapezoidal"; "minoring" and "majoring" for the lower and the upper end
            of each step; "careful_interpolation" for curves of precision, which are not straight
            between thresholds (Davis and Goadrich, 2006).
        thresholds: numbers between 0 and 1, instead of even steps.

    Raises:
        ValueError: the shapes do not fit, or the curve or method is unknown.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.auc([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
        ...     session.run(td.local_variables_initializer())
        ...     print(round(float(session.run(update)), 3))
        0.75
    """
    if curve not in _CURVES:
        raise ValueError(f"curve must be one of {', '.join(_CURVES)}, got {curve!r}")
    if summation_method not in _HEIGHTS:
        methods = ", ".join(_HEIGHTS)
        raise ValueError(f"summation_method must be one of {methods}, got {summation_method!r}")
    if thresholds is None:
        steps = even_thresholds(num_thresholds)
    else:
        steps = around(sorted(thresholds))
    with variable_scope(name, "auc", [labels, predictions, weights]):
        counts, updates = counts_at(labels, predictions, steps, weights)
        value = _area(curve, summation_method, name="value", **counts)
        update = _area(curve, summation_method, name="update_op", **updates)
        return listed(value, update, metrics_collections, updates_collections)


def _area(
    curve: str,
    method: str,
    name: str,
    true_positives: Any,
    false_negatives: Any,
    true_negatives: Any,
    false_positives: Any,
) -> Any:
    """The area; a small number stands in for counts of 0, as in TensorFlow."""
    if curve == "PR" and method == "careful_interpolation":
        return interpolated(true_positives, false_negatives, false_positives)
    small = 1e-6
    recall = (true_positives + small) / (true_positives + false_negatives + small)
    if curve == "ROC":
        x, y = false_positives / (false_positives + true_negatives + small), recall
    else:
        x = recall
        y = (true_positives + small) / (true_positives + false_positives + small)
    return reduce_sum(multiply(x[:-1] - x[1:], _HEIGHTS[method](y)), name=name)


def interpolated(right: Any, missed: Any, wrong: Any) -> Any:
    """The area under precision over recall, if the counts between thresholds are on a line."""
    step, taken = right[:-1] - right[1:], right + wrong
    slope = div_no_nan(step, maximum(taken[:-1] - taken[1:], 0), name="prec_slope")
    start = right[1:] - slope * taken[1:]
    both = logical_and(greater(taken[:-1], 0), greater(taken[1:], 0))
    ratio = div_no_nan(taken[:-1], maximum(taken[1:], 0), name="recall_relative_ratio")
    growth = where(both, ratio, ones_like(taken[1:]))
    increments = div_no_nan(
        slope * (step + start * log(growth)),
        maximum(right[1:] + missed[1:], 0),
        name="pr_auc_increment",
    )
    return reduce_sum(increments, name="interpolate_pr_auc")
