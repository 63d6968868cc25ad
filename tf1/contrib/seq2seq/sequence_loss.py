"""The loss of sequences in one tensor: `td.contrib.seq2seq.sequence_loss`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.array.reshape import reshape
from ....ops.array.shapes import shape
from ....ops.math.division import div_no_nan
from ....ops.math.reductions import reduce_sum
from ....ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from ....ops.statistics.count_nonzero import count_nonzero

public = {"td.contrib.seq2seq": "sequence_loss"}

# Added to sums of weights, so that zero weights do not divide by zero.
_LITTLE = 1e-12


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The cross entropy of sequences, by weights.

    Args:
        logits: floats `[batch, time, classes]`.
        targets: the classes that are right, ints `[batch, time]`.
        weights: the weight of each step, floats `[batch, time]`: 0 after the end of a row.
        average_across_timesteps: whether losses are summed over time, and divided by the weights.
        average_across_batch: the same over the batch.
        sum_over_timesteps: whether losses are summed over time, and divided by the number of steps
            that count.
        sum_over_batch: the same over the batch.
        softmax_loss_function: a function of `labels` and `logits` that is taken instead of the
            cross entropy.
        name: a name for the scope of the ops.

    Returns:
        A float Tensor: a scalar, `[batch]`, `[time]` or `[batch, time]`, depending on the sums.

    Raises:
        ValueError: a rank is wrong, or a dimension is both averaged and summed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.contrib.seq2seq.sequence_loss(
        ...         td.zeros([1, 3, 2]), [[0, 1, 1]], [[1.0, 1.0, 0.0]]
        ...     )
        ...     print(session.run(loss).round(4))
        0.6931
    """
    tensors = [convert_to_tensor(part) for part in (logits, targets, weights)]
    for what, part, rank in zip(("logits", "targets", "weights"), tensors, (3, 2, 2), strict=True):
        if part.shape.rank not in (rank, None):
            raise ValueError(f"{what} must have rank {rank}, got shape {part.shape}")
    averages = average_across_batch, average_across_timesteps
    sums = sum_over_batch, sum_over_timesteps
    for what, average, total in zip(("batch", "timesteps"), averages, sums, strict=True):
        if average and total:
            raise ValueError(f"only one of average_across_{what} and sum_over_{what} may be set")
    with name_scope(name, "sequence_loss", tensors):
        all_logits, all_targets, counts = tensors
        rows = reshape(all_logits, [-1, shape(all_logits)[2]])
        right = reshape(all_targets, [-1])
        function = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
        losses = function(labels=right, logits=rows) * reshape(counts, [-1])
        if all(averages):
            return reduce_sum(losses) / (reduce_sum(counts) + _LITTLE)
        if all(sums):
            present = cast(count_nonzero(counts), losses.dtype)
            return div_no_nan(reduce_sum(losses), present)
        losses = reshape(losses, shape(all_logits)[:2])
        for axis in (1, 0):  # so that the number of the other one stays
            if averages[axis]:
                losses = reduce_sum(losses, axis) / (reduce_sum(counts, axis) + _LITTLE)
            elif sums[axis]:
                present = cast(count_nonzero(counts, axis), losses.dtype)
                losses = div_no_nan(reduce_sum(losses, axis), present)
        return losses
