"""Losses of sequences, step by step, and models of several lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.array.reshape import reshape
from ....ops.array.shapes import shape
from ....ops.math.add_n import add_n
from ....ops.math.reductions import reduce_sum
from ....ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from ....ops.variable_scopes.variable_scope import get_variable_scope, variable_scope

public = {
    "td.contrib.legacy_seq2seq, td.nn.seq2seq": (
        "model_with_buckets sequence_loss sequence_loss_by_example"
    ),
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
        logits: as for `sequence_loss_by_example`, like all arguments not listed here.
        targets: as there.
        weights: as there.
        average_across_timesteps: as there.
        average_across_batch: whether the sum is divided by the size of the batch.
        softmax_loss_function: as there.
        name: a name for the scope of the ops.

    Returns:
        A float Tensor of rank 0.

    Example:
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


def model_with_buckets(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable[[Any, Any], Any],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[list[Any]], list[Any]]:
    """A model for each of several lengths of inputs, all with the same variables.

    Args:
        encoder_inputs: the inputs of the encoder, one for each step of the last bucket.
        decoder_inputs: the same for the decoder.
        targets: for each step of the decoder the classes that are right, int32 `[batch]`.
        weights: for each how much it counts, floats `[batch]`.
        buckets: pairs of the number of inputs of encoder and decoder, from small to large.
        seq2seq: from lists of inputs of encoder and decoder to a list of outputs and a state.
        softmax_loss_function: as for `sequence_loss`.
        per_example_loss: whether losses are those of each example of the batch.
        name: a name for the scope of the ops.

    Returns:
        For each bucket the list of the outputs, and for each its loss.

    Raises:
        ValueError: a list is shorter than the last bucket.

    Example:
        >>> s2s = td.contrib.legacy_seq2seq
        >>> with td.Graph().as_default():
        ...     words, cell = [td.constant([1, 2])] * 4, td.nn.rnn_cell.GRUCell(5)
        ...     model = lambda x, y: s2s.embedding_rnn_seq2seq(x, y, cell, 9, 8, 4)
        ...     ones = [td.ones([2])] * 4
        ...     outputs, losses = s2s.model_with_buckets(
        ...         words, words, words, ones, [(2, 3), (4, 4)], model
        ...     )
        ...     [len(steps) for steps in outputs]
        [3, 4]
    """
    most = buckets[-1]
    lists = {
        "encoder_inputs": (encoder_inputs, most[0]),
        "decoder_inputs": (decoder_inputs, most[1]),
        "targets": (targets, most[1]),
        "weights": (weights, most[1]),
    }
    for what, (items, number) in lists.items():
        if len(items) < number:
            raise ValueError(
                f"{what}: expected {number} items to match the last bucket, got {len(items)}"
            )
    outputs, losses = [], []
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    everything = [*encoder_inputs, *decoder_inputs, *targets, *weights]
    with name_scope(name, "model_with_buckets", everything):
        for i, (ahead, behind) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if i else None):
                made, _ = seq2seq(encoder_inputs[:ahead], decoder_inputs[:behind])
                given = made, targets[:behind], weights[:behind]
                losses.append(loss(*given, softmax_loss_function=softmax_loss_function))
                outputs.append(made)
    return outputs, losses
