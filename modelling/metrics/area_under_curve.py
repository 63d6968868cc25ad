"""The area under the curve of a classifier, over many thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.array.casting import cast
from ...ops.array.constants import constant
from ...ops.array.squeezing import expand_dims
from ...ops.math.arithmetic import multiply
from ...ops.math.comparison import equal, greater, logical_and
from ...ops.math.reductions import reduce_sum
from ...ops.variable_scopes.variable_scope import variable_scope
from ...ops.variables.variable_updates import assign_add
from ...protos.dtypes import bool as boolean, float32
from .counting import aligned, described, flat, listed, metric_variable, spread

public = {"td.metrics": "auc"}

_CASES = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}
_CURVES = ("ROC", "PR")


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
) -> tuple[Any, Any]:
    """The area under the curve of a classifier, by trapezoids between thresholds.

    Args:
        labels: what is right; taken as booleans.
        predictions: probabilities, of the same shape.
        num_thresholds: how many thresholds there are, from 0 to 1.
        curve: "ROC": recall over the rate of false alarms; "PR": precision over recall.

    Raises:
        ValueError: the shapes do not fit, or there is no such curve.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.auc([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
        ...     session.run(td.local_variables_initializer())
        ...     print(round(float(session.run(update)), 3))
        0.75
    """
    if curve not in _CURVES:
        raise ValueError(f"curve must be one of {', '.join(_CURVES)}, got {curve!r}")
    with variable_scope(name, "auc", [labels, predictions, weights]):
        y, x = aligned(cast(labels, boolean), cast(predictions, float32))
        inner = np.arange(1, num_thresholds - 1) / (num_thresholds - 1)
        thresholds = constant(np.array([[-1e-7], *inner[:, None], [1 + 1e-7]]), float32)
        above, right = greater(expand_dims(flat(x), 0), thresholds), expand_dims(flat(y), 0)
        counts, updates = {}, {}
        for case, (label, prediction) in _CASES.items():
            counts[case] = metric_variable([num_thresholds], case)
            seen = cast(logical_and(equal(right, label), equal(above, prediction)), float32)
            if weights is not None:
                seen = multiply(seen, flat(spread(weights, x)))
            updates[case] = assign_add(counts[case], reduce_sum(seen, 1))
        value = _area(curve, name="value", **counts)
        update = _area(curve, name="update_op", **updates)
        return listed(value, update, metrics_collections, updates_collections)


def _area(
    curve: str,
    name: str,
    true_positives: Any,
    false_negatives: Any,
    true_negatives: Any,
    false_positives: Any,
) -> Any:
    """The area; a small number stands in for counts of 0, as in TensorFlow."""
    small = 1e-6
    recall = (true_positives + small) / (true_positives + false_negatives + small)
    if curve == "ROC":
        x, y = false_positives / (false_positives + true_negatives + small), recall
    else:
        x = recall
        y = (true_positives + small) / (true_positives + false_positives + small)
    return reduce_sum(multiply(x[:-1] - x[1:], (y[:-1] + y[1:]) / 2.0), name=name)
