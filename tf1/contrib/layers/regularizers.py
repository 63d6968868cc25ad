"""Regularizers: losses that keep weights small, under the names of `td.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ....graph.default_graph import get_default_graph
from ....graph.default_scopes import add_to_collection, name_scope
from ....graph.scopes.collections import GraphKeys
from ....ops.array.constants import constant
from ....ops.common.shared_docs import shared_docs
from ....ops.math.add_n import add_n
from ....ops.math.arithmetic import abs as magnitude, multiply
from ....ops.math.reductions import reduce_sum
from ....ops.statistics.norms import l2_loss

if TYPE_CHECKING:
    Regularizer = Callable[[Any], Any]

public = {
    "td.contrib.layers, td.contrib.slim, td.contrib.slim.regularizers": (
        "apply_regularization l1_l2_regularizer l1_regularizer l2_regularizer sum_regularizer"
    ),
}


def _checked(scale: Any) -> float:
    if isinstance(scale, int) or not isinstance(scale, float) or scale < 0:
        raise ValueError(f"scale must be a float of at least 0, got {scale!r}")
    return scale


def _scaled(name: str, scale: Any, norm: Callable[[Any], Any], scope: str | None) -> Regularizer:
    factor = _checked(scale)
    if factor == 0.0:
        return lambda _: None

    def regularizer(weights: Any) -> Any:
        with name_scope(scope, name, [weights]) as opened:
            return multiply(constant(factor, weights.dtype.base_dtype), norm(weights), name=opened)

    return regularizer


_documented = shared_docs(
    {
        "scale": "a float of at least 0.",
        "scope": "a name for the op.",
    },
    returns="A function from a variable to a loss, or to None where `scale` is 0.",
    raises="ValueError: the scale is not such a float.",
)


@_documented
def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A regularizer: `scale` times the sum of the absolute values.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.layers.l1_regularizer(0.5)(td.constant([1.0, -3.0])))
        np.float32(2.0)
    """
    return _scaled("l1_regularizer", scale, lambda w: reduce_sum(magnitude(w)), scope)


@_documented
def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A regularizer: `scale` times half the sum of the squares.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.layers.l2_regularizer(0.5)(td.constant([2.0])))
        np.float32(1.0)
    """
    return _scaled("l2_regularizer", scale, l2_loss, scope)


def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Regularizer:
    """The sum of an L1 and an L2 regularizer.

    Args:
        scale_l1: as for `l1_regularizer`.
        scale_l2: as for `l2_regularizer`.
        scope: a name for the scope of the ops.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.layers.l1_l2_regularizer()(td.constant([2.0])))
        np.float32(4.0)
    """
    parts = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]
    result = sum_regularizer(parts, scope or "l1_l2_regularizer")
    return result or (lambda _: None)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """The sum of several regularizers.

    Args:
        regularizer_list: the regularizers; None is skipped.
        scope: a name for the scope of the ops.

    Returns:
        A regularizer; None if there is none.

    Example:
        >>> td.contrib.layers.sum_regularizer([None]) is None
        True
    """
    parts = [part for part in regularizer_list if part is not None]
    if not parts:
        return None

    def regularizer(weights: Any) -> Any:
        with name_scope(scope, "sum_regularizer", [weights]) as opened:
            losses = [loss for part in parts if (loss := part(weights)) is not None]
            return add_n(losses, name=opened) if losses else None

    return regularizer


def apply_regularization(
    regularizer: Regularizer, weights_list: Sequence[Any] | None = None
) -> Any:
    """The sum of a regularizer over variables, added to the regularization losses.

    Args:
        regularizer: the regularizer.
        weights_list: the variables; by default those in the collection of weights.

    Returns:
        A Tensor of rank 0.

    Raises:
        ValueError: there are no variables.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     l2 = td.contrib.layers.l2_regularizer(1.0)
        ...     loss = td.contrib.layers.apply_regularization(l2, [td.constant([2.0])] * 2)
        ...     session.run(loss), td.losses.get_regularization_losses() == [loss]
        (np.float32(4.0), True)
    """
    if not weights_list:
        weights_list = get_default_graph().get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("there are no weights to regularize")
    with name_scope(None, "get_regularization_penalty", list(weights_list)) as opened:
        losses = [loss for weights in weights_list if (loss := regularizer(weights)) is not None]
        total = add_n(losses, name=opened) if losses else constant(0.0, name=opened)
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
