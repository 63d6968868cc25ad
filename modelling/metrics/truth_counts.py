"""Metrics of what is true or not: how often each case came, precision, recall."""

from __future__ import annotations

from typing import Any

from ...ops.array.casting import cast
from ...ops.math.arithmetic import multiply
from ...ops.math.comparison import equal, logical_and
from ...ops.math.division import div_no_nan
from ...ops.math.reductions import reduce_sum
from ...ops.variable_scopes.variable_scope import variable_scope
from ...ops.variables.variable_updates import assign_add
from ...protos.dtypes import bool as boolean, float32
from .counting import aligned, listed, metric_variable, spread

public = {
    "td.metrics": (
        "false_negatives false_positives precision recall true_negatives true_positives"
    ),
}


def _count(
    scope: tuple[str | None, str],
    case: tuple[bool, bool],
    labels: Any,
    predictions: Any,
    weights: Any,
) -> tuple[Any, Any]:
    """How often label and prediction were the two of the case: a variable, and its update."""
    with variable_scope(*scope, [predictions, labels, weights]):
        y, x = aligned(cast(labels, boolean), cast(predictions, boolean))
        is_case = cast(logical_and(equal(y, case[0]), equal(x, case[1])), float32)
        count = metric_variable([], "count")
        if weights is not None:
            is_case = multiply(is_case, spread(weights, is_case))
        update = assign_add(count, reduce_sum(is_case))
        return count.value(), update


def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often what is true was predicted to be.

    Args:
        labels: what is right; taken as booleans.
        predictions: what was predicted, of the same shape; taken as booleans.
        weights: a number, or a tensor that is broadcast to the shape of the values.
        metrics_collections: the collections that list the value.
        updates_collections: the collections that list the update.
        name: a name for the scope of variables and ops.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is the value then.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.true_positives([1, 1, 0, 0, 0], [1, 0, 0, 1, 1])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        1.0
    """
    value, update = _count((name, "true_positives"), (True, True), labels, predictions, weights)
    return listed(value, update, metrics_collections, updates_collections)


def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often what is not true was predicted not to be.

    Args:
        labels: what is right; taken as booleans.
        predictions: what was predicted, of the same shape; taken as booleans.
        weights: a number, or a tensor that is broadcast to the shape of the values.
        metrics_collections: the collections that list the value.
        updates_collections: the collections that list the update.
        name: a name for the scope of variables and ops.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is the value then.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.true_negatives([1, 1, 0, 0, 0], [1, 0, 0, 1, 1])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        1.0
    """
    value, update = _count((name, "true_negatives"), (False, False), labels, predictions, weights)
    return listed(value, update, metrics_collections, updates_collections)


def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often what is not true was predicted to be.

    Args:
        labels: what is right; taken as booleans.
        predictions: what was predicted, of the same shape; taken as booleans.
        weights: a number, or a tensor that is broadcast to the shape of the values.
        metrics_collections: the collections that list the value.
        updates_collections: the collections that list the update.
        name: a name for the scope of variables and ops.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is the value then.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.false_positives([1, 1, 0, 0, 0], [1, 0, 0, 1, 1])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        2.0
    """
    value, update = _count((name, "false_positives"), (False, True), labels, predictions, weights)
    return listed(value, update, metrics_collections, updates_collections)


def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often what is true was predicted not to be.

    Args:
        labels: what is right; taken as booleans.
        predictions: what was predicted, of the same shape; taken as booleans.
        weights: a number, or a tensor that is broadcast to the shape of the values.
        metrics_collections: the collections that list the value.
        updates_collections: the collections that list the update.
        name: a name for the scope of variables and ops.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is the value then.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.false_negatives([1, 1, 0, 0, 0], [1, 0, 0, 1, 1])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        1.0
    """
    value, update = _count((name, "false_negatives"), (True, False), labels, predictions, weights)
    return listed(value, update, metrics_collections, updates_collections)


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How much of what was predicted to be true is true.

    Args:
        labels: what is right; taken as booleans.
        predictions: what was predicted, of the same shape; taken as booleans.
        weights: a number, or a tensor that is broadcast to the shape of the values.
        metrics_collections: the collections that list the value.
        updates_collections: the collections that list the update.
        name: a name for the scope of variables and ops.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is the value then.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.precision([1, 1, 1, 0], [1, 0, 0, 1])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        0.5
    """
    with variable_scope(name, "precision", [predictions, labels, weights]):
        right, new_right = true_positives(labels, predictions, weights)
        wrong, new_wrong = false_positives(labels, predictions, weights)
        value = div_no_nan(right, right + wrong, name="value")
        update = div_no_nan(new_right, new_right + new_wrong, name="update_op")
        return listed(value, update, metrics_collections, updates_collections)


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How much of what is true was predicted to be.

    Args:
        labels: what is right; taken as booleans.
        predictions: what was predicted, of the same shape; taken as booleans.
        weights: a number, or a tensor that is broadcast to the shape of the values.
        metrics_collections: the collections that list the value.
        updates_collections: the collections that list the update.
        name: a name for the scope of variables and ops.

    Returns:
        A tensor of the value so far, and one that takes this batch in and is the value then.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     value, update = td.metrics.recall([1, 1, 1, 0], [1, 0, 0, 1])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        0.33333334
    """
    with variable_scope(name, "recall", [predictions, labels, weights]):
        right, new_right = true_positives(labels, predictions, weights)
        wrong, new_wrong = false_negatives(labels, predictions, weights)
        value = div_no_nan(right, right + wrong, name="value")
        update = div_no_nan(new_right, new_right + new_wrong, name="update_op")
        return listed(value, update, metrics_collections, updates_collections)
