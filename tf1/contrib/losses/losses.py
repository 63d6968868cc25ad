"""Losses that take predictions first, as `td.contrib.losses` and `slim.losses` have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.array.constants import ones_like
from ....ops.array.reshape import squeeze
from ....ops.common.public_function import public_function
from ....ops.common.shared_docs import shared_docs
from ....ops.nn.activations import relu
from ....training.losses import cross_entropies as entropies, regression, weighted_loss
from ..framework.arg_scopes import add_arg_scope

public = {
    "td.contrib.losses, td.contrib.slim.losses": (
        "absolute_difference add_loss compute_weighted_loss cosine_distance get_losses "
        "get_regularization_losses get_total_loss hinge_loss log_loss mean_pairwise_squared_error "
        "mean_squared_error sigmoid_cross_entropy softmax_cross_entropy "
        "sparse_softmax_cross_entropy"
    ),
}

# Losses with the same order of arguments in `contrib`.
add_loss = add_arg_scope(weighted_loss.add_loss)
get_losses = weighted_loss.get_losses
get_regularization_losses = weighted_loss.get_regularization_losses
get_total_loss = weighted_loss.get_total_loss

described = shared_docs(
    {
        "predictions": "the predictions.",
        "logits": "the logits of each class.",
        "labels": "the labels, of the same shape.",
        "multi_class_labels": "0 or 1 for each class.",
        "onehot_labels": "1 for the class that is right, 0 for the others.",
        "losses": "the losses.",
        "weights": "a number, or a tensor that is broadcast to the shape of the losses.",
        "scope": "a name for the scope of the ops.",
        "label_smoothing": "how much of a label is spread over all classes.",
        "epsilon": "a small number that is added before logarithms are taken.",
        "axis": "the dimension of the vectors.",
        "dim": "an older name of `axis`.",
    },
    "A Tensor of rank 0, which is also in the collection of losses.",
    "ValueError: the shapes do not fit.",
)


def _turned(loss: Callable[..., Any], *, epsilon: bool = False) -> Callable[..., Any]:
    """A loss of `td.losses` with predictions first."""

    def with_epsilon(
        predictions: Any,
        labels: Any = None,
        weights: Any = 1.0,
        epsilon: float = 1e-7,
        scope: str | None = None,
    ) -> Any:
        return loss(labels, predictions, weights, epsilon, scope)

    def plain(
        predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
    ) -> Any:
        return loss(labels, predictions, weights, scope)

    doc = f"""`td.losses.{loss.__name__}` with predictions first.

        Example:
            >>> predictions, labels = [[0.25, 0.5]], [[1.0, 0.0]]
            >>> with td.Graph().as_default(), td.Session() as session:
            ...     one = td.contrib.losses.{loss.__name__}(predictions, labels)
            ...     other = td.losses.{loss.__name__}(labels, predictions)
            ...     session.run(td.equal(one, other))
            np.True_
        """
    call = with_epsilon if epsilon else plain
    return add_arg_scope(described(public_function(call, loss.__name__, doc, module=__name__)))


absolute_difference = _turned(regression.absolute_difference)
mean_squared_error = _turned(regression.mean_squared_error)
mean_pairwise_squared_error = _turned(regression.mean_pairwise_squared_error)
log_loss = _turned(regression.log_loss, epsilon=True)


@add_arg_scope
@described
def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """Mean of the losses with non-zero weights.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.losses.compute_weighted_loss([1.0, 5.0], [1.0, 0.0]))
        np.float32(1.0)
    """
    return weighted_loss.compute_weighted_loss(losses, weights, scope)


@add_arg_scope
@described
def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Any:
    """1 less the product of vectors, which have length 1.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], 1))
        np.float32(1.0)
    """
    along = axis if dim is None else dim
    return regression.cosine_distance(labels, predictions, along, weights, scope)


@add_arg_scope
@described
def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Any:
    """The hinge loss of each element; unlike `td.losses.hinge_loss` neither summed nor listed.

    Returns:
        A Tensor of the shape of the logits.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.losses.hinge_loss([[0.5, 2.0]], [[1.0, 0.0]])))
        [[0.5 3. ]]
    """
    with name_scope(scope, "hinge_loss", [logits, labels]):
        converted = convert_to_tensor(logits)
        signs = 2.0 * cast(convert_to_tensor(labels), converted.dtype.base_dtype) - ones_like(
            converted
        )
        return relu(ones_like(converted) - signs * converted)


@add_arg_scope
@described
def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """`td.losses.sigmoid_cross_entropy` with logits first.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.losses.sigmoid_cross_entropy([[0.0]], [[1.0]]))
        np.float32(0.6931472)
    """
    return entropies.sigmoid_cross_entropy(
        multi_class_labels, logits, weights, label_smoothing, scope
    )


@add_arg_scope
@described
def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """`td.losses.softmax_cross_entropy` with logits first.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.losses.softmax_cross_entropy([[0.0, 0.0]], [[1.0, 0.0]]))
        np.float32(0.6931472)
    """
    return entropies.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


@add_arg_scope
@described
def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """`td.losses.sparse_softmax_cross_entropy` with logits first.

    Args:
        labels: the number of the class that is right.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.losses.sparse_softmax_cross_entropy([[0.0, 0.0]], [1]))
        np.float32(0.6931472)
    """
    converted = convert_to_tensor(labels)
    flat = converted.shape.rank is not None and converted.shape.rank > 1
    if flat and converted.shape.as_list()[-1] == 1:
        converted = squeeze(converted, [-1])
    return entropies.sparse_softmax_cross_entropy(converted, logits, weights, scope)
