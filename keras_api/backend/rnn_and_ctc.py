"""Functions of Keras's backend for sequences: a step along time, and CTC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor
from ...ops.array.cast import cast
from ...ops.array.constants import zeros_like
from ...ops.array.reshape import expand_dims, squeeze
from ...ops.array.reverse import reverse
from ...ops.array.shapes import shape
from ...ops.array.stack import stack, unstack
from ...ops.array.transpose import transpose
from ...ops.control_flow.while_loop import while_loop
from ...ops.indexing.gather_nd import gather_nd
from ...ops.indexing.masks import sequence_mask
from ...ops.lists.tensor_array import TensorArray
from ...ops.math.exponentials import log
from ...ops.math.where import where, where_v2
from ...ops.nn.ctc_decoding import ctc_beam_search_decoder, ctc_greedy_decoder
from ...ops.nn.ctc_loss import ctc_loss
from ...ops.sparse.sparse_to_dense import sparse_tensor_to_dense
from .config import epsilon

public = {
    "td.keras.backend": "ctc_batch_cost ctc_decode ctc_label_dense_to_sparse rnn",
}


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> SparseTensor:
    """Rows of labels as a SparseTensor, without what is behind their ends.

    Args:
        labels: `[batch, steps]`.
        label_lengths: how long each row is.

    Example:
        >>> with td.Graph().as_default():
        ...     labels = td.keras.backend.ctc_label_dense_to_sparse([[5, 6], [7, 0]], [2, 1])
        ...     print(td.keras.backend.eval(labels.values))
        [5 6 7]
    """
    labels = convert_to_tensor(labels)
    indices = where(sequence_mask(label_lengths, shape(labels)[1]))
    return SparseTensor(indices, gather_nd(labels, indices), shape(labels, out_type="int64"))


def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Tensor:
    """The loss of connectionist temporal classification, `[batch, 1]`.

    Args:
        y_true: labels, `[batch, steps of labels]`.
        y_pred: probabilities, as softmax gives them, `[batch, steps, classes]`; the last class is
            the blank.
        input_length: how many steps of each example there are, `[batch, 1]`.
        label_length: how many labels it has, `[batch, 1]`.

    Example:
        >>> with td.Graph().as_default():
        ...     shares = td.constant([[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]])
        ...     loss = td.keras.backend.ctc_batch_cost([[0]], shares, [[2]], [[1]])
        ...     print(td.keras.backend.eval(loss).round(4))
        [[0.8267]]
    """
    lengths = [cast(squeeze(length, -1), "int32") for length in (input_length, label_length)]
    labels = ctc_label_dense_to_sparse(cast(y_true, "int32"), lengths[1])
    logits = log(transpose(y_pred, [1, 0, 2]) + epsilon())
    return expand_dims(ctc_loss(labels, logits, lengths[0]), 1)


def ctc_decode(
    y_pred: Any,
    input_length: Any,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> tuple[list[Any], Tensor]:
    """Most likely labels of probabilities.

    Args:
        y_pred: probabilities, as softmax gives them, `[batch, steps, classes]`; the last class is
            the blank.
        input_length: how many steps of each example there are, `[batch]`.
        greedy: whether each step takes its most likely class; otherwise beams are searched.
        beam_width: how many beams.
        top_paths: how many of the most likely sequences are given.

    Returns:
        A list of tensors `[batch, longest]`, where -1 fills the rows, and the logarithm of how
        likely each is.

    Example:
        >>> with td.Graph().as_default():
        ...     shares = td.constant([[[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0.1, 0.8, 0.1]]])
        ...     (labels,), _ = td.keras.backend.ctc_decode(shares, [3])
        ...     print(td.keras.backend.eval(labels))
        [[0 1]]
    """
    logits = log(transpose(y_pred, [1, 0, 2]) + epsilon())
    lengths = cast(input_length, "int32")
    if greedy:
        decoded, likely = ctc_greedy_decoder(logits, lengths)
    else:
        decoded, likely = ctc_beam_search_decoder(logits, lengths, beam_width, top_paths)
    return [sparse_tensor_to_dense(labels, default_value=-1) for labels in decoded], likely


def rnn(
    step_function: Callable[[Any, list[Any]], tuple[Any, list[Any]]],
    inputs: Any,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: Any = None,
    constants: Sequence[Any] | None = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> tuple[Tensor, Tensor, list[Any]]:
    """Takes a step along the time of sequences, again and again.

    Args:
        step_function: gives the output and the next states for the input `[batch, ...]` of a step
            and a list of states, behind which the constants are.
        inputs: `[batch, steps, ...]`.
        initial_states: the states before the first step.
        go_backwards: whether the last step comes first, in the outputs too.
        mask: bools `[batch, steps]`: where one is False, output and states stay as they were.
        constants: what each step is given behind the states.
        unroll: whether the steps are built one by one; their number has to be known.
        input_length: accepted for TensorFlow's sake.
        time_major: whether inputs and outputs are `[steps, batch, ...]`.
        zero_output_for_mask: whether outputs are 0 where the mask is False.

    Returns:
        The last output, the outputs `[batch, steps, ...]`, and the last states.

    Raises:
        ValueError: with `unroll`, the number of steps is unknown; or there is a mask, but no
            state.

    Example:
        >>> with td.Graph().as_default():
        ...     add = lambda x, states: (x + states[0], [x + states[0]])
        ...     _, outputs, _ = td.keras.backend.rnn(add, td.ones([1, 3, 1]), [td.zeros([1, 1])])
        ...     print(td.keras.backend.eval(outputs)[0, :, 0])
        [1. 2. 3.]
    """
    if mask is not None and not initial_states:
        raise ValueError("there must be states where there is a mask")
    steps = convert_to_tensor(inputs) if time_major else _turned(inputs)
    counts = None if mask is None else _counts(mask, time_major)
    if go_backwards:
        steps = reverse(steps, [0])
        counts = None if counts is None else reverse(counts, [0])
    further = list(constants or [])

    def stepped(x: Any, counting: Any, before: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        output, after = step_function(x, [*states, *further])
        if counting is None:
            return output, list(after)
        last = zeros_like(output) if zero_output_for_mask or before is None else before
        kept = [where_v2(_fitted(counting, new), new, old) for new, old in zip(after, states)]  # noqa: B905
        return where_v2(_fitted(counting, output), output, last), kept

    if unroll:
        if steps.shape.as_list()[0] is None:
            raise ValueError("unroll needs a known number of steps")
        outputs: list[Any] = []
        unstacked: list[Any] = unstack(steps)
        states = list(initial_states)
        counted: list[Any] = [None] * len(unstacked) if counts is None else unstack(counts)
        for x, counting in zip(unstacked, counted, strict=True):
            output, states = stepped(x, counting, outputs[-1] if outputs else None, states)
            outputs.append(output)
        whole: Any = stack(outputs)
    else:
        whole, states = _looped(stepped, steps, counts, list(initial_states))
    return whole[-1], whole if time_major else _turned(whole), states


def _looped(stepped: Any, steps: Any, counts: Any, states: list[Any]) -> tuple[Any, list[Any]]:
    """The outputs of all steps, by a loop, and the last states."""
    number = shape(steps)[0]
    first, _ = stepped(steps[0], None, None, states)
    kept = TensorArray(first.dtype, number, element_shape=first.shape)
    inputs = TensorArray(steps.dtype, number).unstack(steps)
    counted = None if counts is None else TensorArray(counts.dtype, number).unstack(counts)

    def body(step: Any, kept: Any, last: Any, *states: Any) -> Any:
        counting = None if counted is None else counted.read(step)
        output, after = stepped(inputs.read(step), counting, last, list(states))
        for old, new in zip(states, after, strict=True):
            new.set_shape(old.shape)
        return (step + 1, kept.write(step, output), output, *after)

    start = (0, kept, zeros_like(first), *states)
    results = while_loop(lambda step, *_: step < number, body, start)
    whole = results[1].stack()
    whole.set_shape([steps.shape.as_list()[0], *first.shape.as_list()])
    return whole, list(results[3:])


def _turned(x: Any) -> Any:
    """The batch before the steps, or the other way round."""
    x = convert_to_tensor(x)
    return transpose(x, [1, 0, *range(2, x.shape.rank)])


def _counts(mask: Any, time_major: bool) -> Any:
    """Bools, steps first, without a last dimension of 1."""
    counts = cast(mask, "bool")
    counts = squeeze(counts, -1) if counts.shape.rank == 3 else counts
    return counts if time_major else transpose(counts)


def _fitted(counting: Any, values: Any) -> Any:
    """Bools of examples, with dimensions of 1 for the others of values."""
    for _ in range(values.shape.rank - 1):
        counting = expand_dims(counting, -1)
    return counting
