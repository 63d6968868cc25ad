"""Scores and log-likelihood of sequences of tags."""

from __future__ import annotations

from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.node import Tensor
from ....ops.array.cast import cast
from ....ops.array.constants import zeros_like
from ....ops.array.ranges import range as numbers
from ....ops.array.reshape import expand_dims
from ....ops.array.shapes import shape
from ....ops.array.stack import stack
from ....ops.array.transpose import transpose
from ....ops.control_flow.map_and_fold import foldl
from ....ops.indexing.gather import gather
from ....ops.indexing.gather_nd import gather_nd
from ....ops.indexing.masks import sequence_mask
from ....ops.math.arithmetic import maximum
from ....ops.math.reductions import reduce_logsumexp, reduce_sum
from ....ops.math.where import where_v2
from ....ops.variable_scopes.get_variable import get_variable

public = {
    "td.contrib.crf": (
        "crf_binary_score crf_log_likelihood crf_log_norm crf_sequence_score crf_unary_score"
    )
}


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Tensor:
    """Unary score: the sum of the inputs at the tags of each sequence.

    Args:
        tag_indices: the tags, int32 `[batch, steps]`.
        sequence_lengths: number of of them that count, int `[batch]`.
        inputs: a score for each tag, float `[batch, steps, tags]`.

    Returns:
        A Tensor `[batch]`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.contrib.crf.crf_unary_score([[1, 0]], [2], [[[1.0, 2.0], [3.0, 4.0]]])
        ...     session.run(y)
        array([5.], dtype=float32)
    """
    inputs, tags = convert_to_tensor(inputs), cast(tag_indices, "int32")
    picked = gather(inputs, expand_dims(tags, 2), axis=2, batch_dims=2)[..., 0]
    return reduce_sum(picked * _mask(sequence_lengths, shape(tags)[1], inputs), axis=1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """Binary score: the sum over the transitions of each sequence.

    Args:
        tag_indices: the tags, int32 `[batch, steps]`.
        sequence_lengths: number of of them that count, int `[batch]`.
        transition_params: a score for each pair, float `[tags, tags]`.

    Returns:
        A Tensor `[batch]`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     steps = [[1.0, 2.0], [3.0, 4.0]]
        ...     session.run(td.contrib.crf.crf_binary_score([[1, 0, 0]], [2], steps))
        array([3.], dtype=float32)
    """
    steps, tags = convert_to_tensor(transition_params), cast(tag_indices, "int32")
    picked = gather_nd(steps, stack([tags[:, :-1], tags[:, 1:]], axis=2))
    counted = maximum(cast(sequence_lengths, "int32") - 1, 0)
    return reduce_sum(picked * _mask(counted, shape(tags)[1] - 1, steps), axis=1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Tensor:
    """The score of each sequence of tags, not normalized.

    Args:
        inputs: a score for each tag, float `[batch, steps, tags]`.
        tag_indices: the tags, int32 `[batch, steps]`.
        sequence_lengths: number of of them that count, int `[batch]`.
        transition_params: a score for each pair, float `[tags, tags]`.

    Returns:
        A Tensor `[batch]`; 0 for an empty sequence.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     inputs, steps = [[[1.0, 2.0], [3.0, 4.0]]], [[1.0, 2.0], [3.0, 4.0]]
        ...     session.run(td.contrib.crf.crf_sequence_score(inputs, [[1, 0]], [2], steps))
        array([8.], dtype=float32)
    """
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The logarithm of the sum over all sequences of tags of the exponential of their score.

    Args:
        inputs: a score for each tag, float `[batch, steps, tags]`.
        sequence_lengths: number of steps that count, int `[batch]`.
        transition_params: a score for each pair, float `[tags, tags]`.

    Returns:
        A Tensor `[batch]`; 0 for an empty sequence.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     inputs, steps = [[[0.0, 0.0], [0.0, 0.0]]], [[0.0, 0.0], [0.0, 0.0]]
        ...     session.run(td.contrib.crf.crf_log_norm(inputs, [2], steps))
        array([1.3862944], dtype=float32)
    """
    inputs, steps = convert_to_tensor(inputs), convert_to_tensor(transition_params)
    lengths = cast(sequence_lengths, "int32")

    def add_step(alphas: Any, element: Any) -> Any:
        scores, place = element
        joined = expand_dims(alphas, 2) + steps
        moved = scores + reduce_logsumexp(joined, axis=1)
        return where_v2(expand_dims(place < lengths, 1), moved, alphas)

    alphas = foldl(add_step, later_steps(inputs), initializer=inputs[:, 0])
    norms = reduce_logsumexp(alphas, axis=1)
    return where_v2(lengths > 0, norms, zeros_like(norms))


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Tensor, Any]:
    """The logarithm of how likely the tags of each sequence are.

    Args:
        inputs: a score for each tag, float `[batch, steps, tags]`.
        tag_indices: the tags, int32 `[batch, steps]`.
        sequence_lengths: number of of them that count, int `[batch]`.
        transition_params: a score for each pair, float `[tags, tags]`; by default a variable
            `transitions` of the scope in force.

    Returns:
        A Tensor `[batch]`, and the scores of pairs.

    Raises:
        ValueError: the number of tags is unknown, and `transition_params` is not given.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     inputs, steps = [[[0.0, 0.0], [0.0, 0.0]]], [[0.0, 0.0], [0.0, 0.0]]
        ...     y, _ = td.contrib.crf.crf_log_likelihood(inputs, [[1, 0]], [2], steps)
        ...     session.run(y)
        array([-1.3862944], dtype=float32)
    """
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2].value
        if tags is None:
            raise ValueError(f"inputs must have a known number of tags, got shape {inputs.shape}")
        transition_params = get_variable("transitions", [tags, tags])
    steps = convert_to_tensor(transition_params)
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, steps)
    return score - crf_log_norm(inputs, sequence_lengths, steps), transition_params


def later_steps(inputs: Tensor) -> tuple[Tensor, Tensor]:
    """The scores of all steps but the first, step by step, and the numbers of the steps."""
    return transpose(inputs[:, 1:], [1, 0, 2]), numbers(1, shape(inputs)[1])


def _mask(lengths: Any, most: Any, like: Tensor) -> Tensor:
    """Mask of the steps that count, `[batch, steps]`."""
    return sequence_mask(cast(lengths, "int32"), most, like.dtype)
