"""Metrics that are means over all batches: of values, errors, and of what is right."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies
from ...ops.array.casting import cast
from ...ops.array.fills import ones_like
from ...ops.array.shapes import size
from ...ops.math.arithmetic import abs as magnitude, multiply, squared_difference
from ...ops.math.comparison import equal, less
from ...ops.math.division import div_no_nan
from ...ops.math.exponentials import sqrt
from ...ops.math.reductions import reduce_sum
from ...ops.variable_scopes.variable_scope import variable_scope
from ...ops.variables.variable_updates import assign_add
from ...protos.dtypes import float32
from .counting import aligned, listed, metric_variable, spread

public = {
    "td.metrics": (
        "accuracy mean mean_absolute_error mean_squared_error mean_tensor percentage_below "
        "root_mean_squared_error"
    ),
}


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The weighted mean of all values.

    Args:
        values: numbers of any shape.
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
        ...     value, update = td.metrics.mean([1.0, 2.0, 6.0])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        3.0
    """
    with variable_scope(name, "mean", [values, weights]):
        x = cast(convert_to_tensor(values), float32)
        total, count = metric_variable([], "total"), metric_variable([], "count")
        number = cast(size(x), float32)
        if weights is not None:
            factors = spread(weights, x)
            x, number = multiply(x, factors), reduce_sum(factors)
        new_total = assign_add(total, reduce_sum(x))
        with control_dependencies([x]):
            new_count = assign_add(count, number)
        value = div_no_nan(total, count, name="value")
        update = div_no_nan(new_total, new_count, name="update_op")
        return listed(value, update, metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The weighted means of all values, element by element.

    Args:
        values: numbers of a shape that is known.
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
        ...     value, update = td.metrics.mean_tensor([1.0, 2.0])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        [1. 2.]
    """
    with variable_scope(name, "mean", [values, weights]):
        x = cast(convert_to_tensor(values), float32)
        sizes = x.shape.as_list()
        total, count = (
            metric_variable(sizes, "total_tensor"),
            metric_variable(sizes, "count_tensor"),
        )
        number = ones_like(x)
        if weights is not None:
            number = spread(weights, x)
            x = multiply(x, number)
        new_total = assign_add(total, x)
        with control_dependencies([x]):
            new_count = assign_add(count, number)
        value = div_no_nan(total, count, name="value")
        update = div_no_nan(new_total, new_count, name="update_op")
        return listed(value, update, metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often predictions are the labels.

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
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
        ...     value, update = td.metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 0])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        0.75
    """
    y, x = aligned(labels, predictions)
    right = cast(equal(x, cast(y, x.dtype.base_dtype)), float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often values are below a threshold; TensorFlow's name, though 1 is all of them.

    Args:
        values: numbers of any shape.
        threshold: what values have to be below.
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
        ...     value, update = td.metrics.percentage_below([1.0, 2.0, 3.0, 4.0], 2.0)
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        0.25
    """
    below = cast(less(convert_to_tensor(values), threshold), float32)
    return mean(
        below,
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of |predictions - labels|.

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
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
        ...     value, update = td.metrics.mean_absolute_error([1.0, 2.0], [1.5, 2.0])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        0.25
    """
    y, x = aligned(labels, predictions)
    errors = magnitude(x - cast(y, x.dtype.base_dtype))
    return mean(
        errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error"
    )


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of the squares of predictions - labels.

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
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
        ...     value, update = td.metrics.mean_squared_error([1.0, 2.0], [3.0, 2.0])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        2.0
    """
    y, x = aligned(labels, predictions)
    squares = squared_difference(x, cast(y, x.dtype.base_dtype))
    return mean(
        squares, weights, metrics_collections, updates_collections, name or "mean_squared_error"
    )


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The root of the mean of the squares of predictions - labels.

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
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
        ...     value, update = td.metrics.root_mean_squared_error([1.0, 1.0], [3.0, 3.0])
        ...     session.run(td.local_variables_initializer())
        ...     print(session.run(update))
        2.0
    """
    squares, new_squares = mean_squared_error(
        labels, predictions, weights, None, None, name or "root_mean_squared_error"
    )
    value, update = sqrt(squares), sqrt(new_squares)
    return listed(value, update, metrics_collections, updates_collections)
