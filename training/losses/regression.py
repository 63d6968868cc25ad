"""Losses between labels and predictions, element by element."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.scopes.collections import GraphKeys
from ...ops.array.cast import cast
from ...ops.array.identity import identity
from ...ops.array.ranges import range as integers
from ...ops.array.shapes import rank
from ...ops.common.public_function import same_arguments
from ...ops.math.arithmetic import abs as magnitude, minimum, multiply, square, squared_difference
from ...ops.math.exponentials import log
from ...ops.math.reductions import reduce_sum
from ...ops.nn.activations import relu
from ...protos.dtypes import float32
from .cross_entropies import sparse_softmax_cross_entropy
from .weighted_loss import (
    Reduction,
    add_loss,
    compute_weighted_loss,
    described,
    present,
    quotient,
    with_weights,
)

public = {
    "td.losses": (
        "absolute_difference cosine_distance hinge_loss huber_loss log_loss "
        "mean_pairwise_squared_error mean_squared_error"
    ),
}


def _floats(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Both as float32.

    Raises:
        ValueError: one is missing, or the shapes differ.
    """
    if labels is None or predictions is None:
        raise ValueError("labels and predictions are both needed")
    tensors = [cast(convert_to_tensor(value), float32) for value in (labels, predictions)]
    if not tensors[0].shape.is_compatible_with(tensors[1].shape):
        raise ValueError(
            f"labels and predictions must have equal shapes, got {tensors[0].shape} and "
            f"{tensors[1].shape}"
        )
    return tensors[0], tensors[1]


@described
def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Mean absolute error.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.absolute_difference([1.0, 2.0], [1.5, 2.0])))
        0.25
    """
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as opened:
        y, x = _floats(labels, predictions)
        losses = magnitude(x - y)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Any:
    """Cosine distance of labels and predictions, which must be unit vectors.

    Args:
        axis: the dimension along which vectors stand.
        dim: the older name of `axis`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], axis=1)))
        0.39999998
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("axis is needed")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as opened:
        y, x = _floats(labels, predictions)
        losses = 1 - reduce_sum(multiply(x, y), axis, keepdims=True)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
@same_arguments(sparse_softmax_cross_entropy)
def hinge_loss(*arguments: Any) -> Any:
    """Hinge loss.

    Args:
        logits: what was predicted, of the same shape.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.hinge_loss([1.0, 0.0], [0.5, -2.0])))
        0.25
    """
    labels, logits, weights, scope, loss_collection, reduction = arguments
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as opened:
        y, x = _floats(labels, logits)
        losses = relu(1.0 - (2.0 * y - 1.0) * x)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Huber loss: quadratic for small errors, linear beyond.

    Args:
        delta: where the errors become linear.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.huber_loss([1.0, 2.0], [1.5, 5.0])))
        1.3125
    """
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as opened:
        y, x = _floats(labels, predictions)
        error = magnitude(x - y)
        small = minimum(error, delta)
        losses = 0.5 * square(small) + delta * (error - small)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Log loss: the mean cross entropy of labels and probabilities.

    Args:
        epsilon: a small number that keeps logarithms finite.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.log_loss([1.0, 0.0], [0.5, 0.5])))
        0.69314694
    """
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as opened:
        y, x = _floats(labels, predictions)
        losses = -y * log(x + epsilon) - (1 - y) * log(1 - x + epsilon)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
@same_arguments(absolute_difference)
def mean_squared_error(*arguments: Any) -> Any:
    """Mean squared error.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.mean_squared_error([1.0, 2.0], [1.5, 2.0])))
        0.125
    """
    labels, predictions, weights, scope, loss_collection, reduction = arguments
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as opened:
        y, x = _floats(labels, predictions)
        losses = squared_difference(x, y)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Any:
    """Mean squared error of the pairwise differences within each example.

    Args:
        labels: the labels [batch, ...].
        weights: a number, or one for each example, of the rank of the labels.

    Returns:
        A Tensor of rank 0: the sum over the batch of the means over pairs.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.losses.mean_pairwise_squared_error([[0.0, 1.0]], [[0.0, 3.0]])
        ...     print(session.run(loss))
        4.0
    """
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        y, x = _floats(labels, predictions)
        error = x - y
        factors = with_weights(error, weights)
        axes = integers(1, rank(x)) if x.shape.rank is None else [*range(1, x.shape.rank)]
        number = reduce_sum(present(error, factors), axes, keepdims=True)
        squares = reduce_sum(square(error), axes, keepdims=True)
        total = reduce_sum(error, axes, keepdims=True)
        first = 2.0 * quotient(squares, relu(number - 1), "value")
        second = 2.0 * quotient(square(total), relu(number * (number - 1)), "value")
        loss = identity(reduce_sum((first - second) * factors), name="value")
        add_loss(loss, loss_collection)
        return loss
