"""Losses of classifiers: cross entropies of logits and labels."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.scopes.collections import GraphKeys
from ...ops.array.cast import cast
from ...ops.array.reshape import squeeze
from ...ops.array.shapes import shape
from ...ops.nn import losses as nn
from .shape_matching import without_last
from .weighted_loss import Reduction, compute_weighted_loss, described

public = {
    "td.losses": "sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
}


@described
def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Mean sigmoid cross entropy of independent binary labels and logits.

    Args:
        multi_class_labels: 1 for what is true, 0 for what is not.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.sigmoid_cross_entropy([1.0, 0.0], [0.0, 0.0])))
        0.6931472
    """
    with name_scope(
        scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]
    ) as opened:
        x = convert_to_tensor(logits)
        y = cast(convert_to_tensor(multi_class_labels), x.dtype.base_dtype)
        if label_smoothing > 0:
            y = y * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Mean softmax cross entropy of distributions over classes and logits.

    Args:
        onehot_labels: [batch, classes]: 1 for the class that is right, 0 for the others.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.softmax_cross_entropy([[0, 1]], [[1.0, 1.0]])))
        0.6931472
    """
    with name_scope(
        scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]
    ) as opened:
        x = convert_to_tensor(logits)
        y = cast(convert_to_tensor(onehot_labels), x.dtype.base_dtype)
        if not x.shape.is_compatible_with(y.shape):
            raise ValueError(f"labels and logits have shapes {y.shape} and {x.shape}")
        if label_smoothing > 0:
            classes = cast(shape(y)[1], x.dtype.base_dtype)
            y = y * (1 - label_smoothing) + label_smoothing / classes
        losses = nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@described
def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Mean softmax cross entropy of class indices and logits.

    Args:
        labels: [batch] or [batch, 1]: the number of the class that is right.
        logits: [batch, classes].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.losses.sparse_softmax_cross_entropy([1], [[1.0, 1.0]])))
        0.6931472
    """
    with name_scope(
        scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]
    ) as opened:
        x = convert_to_tensor(logits)
        y = convert_to_tensor(labels)
        if y.shape.rank is not None and y.shape.rank == x.shape.rank:
            y = squeeze(y, [-1])
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
        factors = convert_to_tensor(weights)
        fitting = without_last(factors, losses)
        weights = weights if fitting is factors else fitting
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)
