"""Losses of sequences, step by step: `td.contrib.legacy_seq2seq`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.default_scopes import name_scope
from ..ops.array.casting import cast
from ..ops.array.reshaping import reshape
from ..ops.array.shapes import shape
from ..ops.math.add_n import add_n
from ..ops.math.reductions import reduce_sum
from ..ops.nn.losses import sparse_softmax_cross_entropy_with_logits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

public = {
    "td.contrib.legacy_seq2seq": "sequence_loss sequence_loss_by_example",
    "td.nn.seq2seq": "sequence_loss sequence_loss_by_example",
}


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The cross entropy of each example of a batch, over the steps of a sequence.

    Args:
        logits: for each step floats `[batch, classes]`.
        targets: for each step the classes that are right, int32 `[batch]`.
        weights: for each step how much each example counts, floats `[batch]`.
        average_across_timesteps: whether the sum is divided by that of the weights.
        softmax_loss_function: a function of `labels` and `logits` that is taken instead.
        name: a name for the scope of the ops.

    Returns:
        A float Tensor of shape [batch].

    Raises:
        ValueError: the lists are not of one length.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.contrib.legacy_seq2seq.sequence_loss_by_example(
        ...         [td.zeros([2, 4])] * 3, [[0, 1]] * 3, [[1.0, 1.0]] * 3
        ...     )
        ...     print(session.run(loss))
        [1.3862944 1.3862944]
    """
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            "logits, targets and weights must be of one length, got "
            f"{len(logits)}, {len(targets)} and {len(weights)}"
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        losses = []
        for given, target, weight in zip(logits, targets, weights, strict=True):
            right = reshape(target, [-1])
            if softmax_loss_function is None:
                found = sparse_softmax_cross_entropy_with_logits(labels=right, logits=given)
            else:
                found = softmax_loss_function(labels=right, logits=given)
            losses.append(found * weight)
        total = add_n(losses)
        if average_across_timesteps:
            total /= add_n(list(weights)) + 1e-12  # where no step counts
        return total


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The cross entropy of a batch, over the steps of a sequence.

    Args:
        logits: as for `sequence_loss_by_example`, like what is not told here.
        targets: as there.
        weights: as there.
        average_across_timesteps: as there.
        average_across_batch: whether the sum is divided by the size of the batch.
        softmax_loss_function: as there.
        name: a name for the scope of the ops.

    Returns:
        A float Tensor of rank 0.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(
        ...         td.contrib.legacy_seq2seq.sequence_loss(
        ...             [td.zeros([2, 4])] * 3, [[0, 1]] * 3, [[1.0, 1.0]] * 3
        ...         )
        ...     )
        np.float32(1.3862944)
    """
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        total = reduce_sum(
            sequence_loss_by_example(
                logits, targets, weights, average_across_timesteps, softmax_loss_function
            )
        )
        if average_across_batch:
            total /= cast(shape(targets[0])[0], total.dtype)
        return total
