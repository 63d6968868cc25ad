"""Decoders over lists of inputs, with and without attention."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ....graph.convert import convert_to_tensor
from ....ops.array.constants import zeros
from ....ops.array.identity import stop_gradient
from ....ops.array.reshape import reshape
from ....ops.array.shapes import shape
from ....ops.common.structures import flat
from ....ops.conv.convolution import conv2d
from ....ops.linalg.matmul import matmul
from ....ops.math.argmax import argmax
from ....ops.math.reductions import reduce_sum
from ....ops.math.trigonometry import tanh
from ....ops.nn.activations import bias_add, softmax
from ....ops.nn.embeddings import embedding_lookup
from ....ops.variable_scopes.get_variable import get_variable
from ....ops.variable_scopes.variable_scope import get_variable_scope, variable_scope
from ..rnn.projection_wrappers import linear

public = {
    "td.contrib.legacy_seq2seq, td.nn.seq2seq": (
        "attention_decoder embedding_attention_decoder embedding_rnn_decoder rnn_decoder"
    ),
}


def greatest_embedded(embedding: Any, projection: Any, learns: bool) -> Callable[[Any, Any], Any]:
    """The function that makes the next input of an output: the likeliest word, embedded.

    Args:
        embedding: the table of words.
        projection: weights and biases that outputs pass through before, or None.
        learns: whether gradients pass to the table.
    """

    def following(output: Any, _: Any) -> Any:
        if projection is not None:
            output = bias_add(matmul(output, projection[0]), projection[1])
        embedded = embedding_lookup(embedding, argmax(output, 1))
        return embedded if learns else stop_gradient(embedded)

    return following


def rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: Any,
    loop_function: Callable[[Any, Any], Any] | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell along a list of inputs, or along a function of its own outputs.

    Args:
        decoder_inputs: for each step a tensor `[batch, size]`.
        initial_state: the first state.
        cell: the cell.
        loop_function: from the output before and the number of a step to its input; of
            then only the first of `decoder_inputs` and their number count.
        scope: the variable scope; by default "rnn_decoder".

    Returns:
        The list of the outputs, and the last state.

    Example:
        >>> with td.Graph().as_default():
        ...     cell, steps = td.nn.rnn_cell.GRUCell(3), [td.ones([2, 4])] * 5
        ...     start = cell.zero_state(2, td.float32)
        ...     outputs, _ = td.contrib.legacy_seq2seq.rnn_decoder(steps, start, cell)
        ...     len(outputs)
        5
    """
    outputs: list[Any] = []
    state = initial_state
    with variable_scope(scope or "rnn_decoder"):
        for i, step in enumerate(decoder_inputs):
            given = _given(step, outputs, i, loop_function)
            if i:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def _given(
    step: Any, outputs: list[Any], i: int, loop_function: Callable[[Any, Any], Any] | None
) -> Any:
    """The input of a step: from the list, or from the previous output."""
    if loop_function is None or not outputs:
        return convert_to_tensor(step)
    with variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], i)


def embedding_rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` over words, which are embedded.

    Args:
        decoder_inputs: for each step the words, int32 `[batch]`.
        initial_state: the first state.
        cell: the cell.
        num_symbols: the number of words.
        embedding_size: the size of word embeddings.
        output_projection: the weights `[output_size, num_symbols]` and biases `[num_symbols]` by
            which outputs become logits of words, or None if they are.
        feed_previous: whether each word is the likeliest one of the output before; of
            `decoder_inputs` then only the first one counts.
        update_embedding_for_previous: whether gradients pass to the words that are taken like that.
        scope: the variable scope; by default "embedding_rnn_decoder".

    Returns:
        The list of the outputs, and the last state.

    Raises:
        ValueError: `output_projection` is of other shapes.

    Example:
        >>> with td.Graph().as_default():
        ...     cell, words = td.nn.rnn_cell.GRUCell(9), [td.constant([1, 2])] * 5
        ...     start = cell.zero_state(2, td.float32)
        ...     outputs, _ = td.contrib.legacy_seq2seq.embedding_rnn_decoder(
        ...         words, start, cell, num_symbols=9, embedding_size=4, feed_previous=True
        ...     )
        ...     td.global_variables()[0].op.name
        'embedding_rnn_decoder/embedding'
    """
    with variable_scope(scope or "embedding_rnn_decoder"):
        steps, following = _embedded(
            decoder_inputs,
            [num_symbols, embedding_size],
            output_projection,
            feed_previous,
            update_embedding_for_previous,
        )
        return rnn_decoder(steps, initial_state, cell, following)


def _embedded(
    inputs: Any, sizes: list[int], projection: Any, feed_previous: bool, updates: bool
) -> tuple[list[Any], Any]:
    """Embedded words, and the function from an output to the next input, if outputs are fed."""
    table = get_variable("embedding", sizes)
    checked = checked_projection(projection, sizes[0])
    following = greatest_embedded(table, checked, updates) if feed_previous else None
    return [embedding_lookup(table, words) for words in inputs], following


def checked_projection(projection: Any, words: int) -> Any:
    """Weights and biases as tensors; None if there is none.

    Raises:
        ValueError: they are for another number of words.
    """
    if projection is None:
        return None
    weights, biases = (convert_to_tensor(part) for part in projection)
    weights.shape.assert_is_compatible_with([None, words])
    biases.shape.assert_is_compatible_with([words])
    return weights, biases


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Callable[[Any, Any], Any] | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` that attends to a memory, as Bahdanau, Cho and Bengio (2014) do.

    Args:
        decoder_inputs: for each step a tensor `[batch, size]`.
        initial_state: the first state.
        attention_states: the memory, `[batch, steps, size]`.
        cell: the cell.
        output_size: the size of the outputs; by default that of the cell.
        num_heads: the number of attention heads.
        loop_function: as for `rnn_decoder`.
        dtype: the dtype of the attention before the first step; by default float32.
        scope: the variable scope; by default "attention_decoder".
        initial_state_attention: whether the first step begins with what `initial_state` sees, and
            not with zeros: for going on with a sequence.

    Returns:
        The list of the outputs, and the last state.

    Raises:
        ValueError: there are no inputs or heads, or the size of the memory is not known.

    Example:
        >>> with td.Graph().as_default():
        ...     cell, steps = td.nn.rnn_cell.GRUCell(3), [td.ones([2, 4])] * 5
        ...     start = cell.zero_state(2, td.float32)
        ...     outputs, _ = td.contrib.legacy_seq2seq.attention_decoder(
        ...         steps, start, td.ones([2, 7, 6]), cell, output_size=8
        ...     )
        ...     outputs[0].shape.as_list()
        [2, 8]
    """
    if not decoder_inputs:
        raise ValueError("decoder_inputs must not be empty")
    if num_heads < 1:
        raise ValueError(f"num_heads must be at least 1, got {num_heads}")
    size = output_size or cell.output_size
    outputs: list[Any] = []
    state = initial_state
    with variable_scope(scope or "attention_decoder", dtype=dtype):
        memory = _Memory(convert_to_tensor(attention_states), num_heads)
        seen = memory.unseen(shape(decoder_inputs[0])[0], dtype or "float32")
        if initial_state_attention:
            seen = memory.seen_by(state)
        for i, step in enumerate(decoder_inputs):
            if i:
                get_variable_scope().reuse_variables()
            given = _given(step, outputs, i, loop_function)
            mixed = linear([given, *seen], given.shape.with_rank(2)[1].value)
            output, state = cell(mixed, state)
            again = True if i == 0 and initial_state_attention else None
            with variable_scope(get_variable_scope(), reuse=again):
                seen = memory.seen_by(state)
            with variable_scope("AttnOutputProjection"):
                outputs.append(linear([output, *seen], size))
    return outputs, state


class _Memory:
    """Attention of a decoder over its states, with the variables of the heads."""

    def __init__(self, states: Any, heads: int) -> None:
        steps, size = states.shape.with_rank(3).as_list()[1:]
        if size is None:
            raise ValueError(f"the size of attention_states must be known, got {states}")
        self._steps = shape(states)[1] if steps is None else steps
        self._size = size
        self._hidden = reshape(states, [-1, self._steps, 1, size])
        dtype = states.dtype.base_dtype
        self._heads = []
        for head in range(heads):
            kernel = get_variable(f"AttnW_{head}", [1, 1, size, size], dtype)
            features = conv2d(self._hidden, kernel.value(), [1, 1, 1, 1], "SAME")
            self._heads.append((features, get_variable(f"AttnV_{head}", [size], dtype)))

    def unseen(self, batch: Any, dtype: Any) -> list[Any]:
        """The attention before the first step."""
        made = [zeros([batch, self._size], dtype) for _ in self._heads]
        for tensor in made:
            tensor.set_shape([None, self._size])
        return made

    def seen_by(self, state: Any) -> list[Any]:
        """The attention of each head for a state."""
        made = []
        for head, (features, v) in enumerate(self._heads):
            with variable_scope(f"Attention_{head}"):
                query = reshape(linear(flat(state), self._size), [-1, 1, 1, self._size])
                scores = reduce_sum(v.value() * tanh(features + query), [2, 3])
                shares = reshape(softmax(scores), [-1, self._steps, 1, 1])
                seen = reduce_sum(shares * self._hidden, [1, 2])
                made.append(reshape(seen, [-1, self._size]))
        return made


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`attention_decoder` over words, which are embedded.

    Args:
        decoder_inputs: for each step the words, int32 `[batch]`.
        initial_state: as for `attention_decoder`.
        attention_states: as there.
        cell: as there.
        num_symbols: as for `embedding_rnn_decoder`.
        embedding_size: as there.
        num_heads: as for `attention_decoder`.
        output_size: as there.
        output_projection: as for `embedding_rnn_decoder`.
        feed_previous: as there.
        update_embedding_for_previous: as there.
        dtype: as for `attention_decoder`.
        scope: the variable scope; by default "embedding_attention_decoder".
        initial_state_attention: as for `attention_decoder`.

    Returns:
        The list of the outputs, and the last state.

    Example:
        >>> with td.Graph().as_default():
        ...     cell, words = td.nn.rnn_cell.GRUCell(3), [td.constant([1, 2])] * 5
        ...     start = cell.zero_state(2, td.float32)
        ...     outputs, _ = td.contrib.legacy_seq2seq.embedding_attention_decoder(
        ...         words, start, td.ones([2, 7, 6]), cell, 9, 4, output_size=9
        ...     )
        ...     td.global_variables()[1].op.name
        'embedding_attention_decoder/attention_decoder/AttnW_0'
    """
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        steps, following = _embedded(
            decoder_inputs,
            [num_symbols, embedding_size],
            output_projection,
            feed_previous,
            update_embedding_for_previous,
        )
        return attention_decoder(
            steps,
            initial_state,
            attention_states,
            cell,
            output_size,
            num_heads,
            following,
            initial_state_attention=initial_state_attention,
        )
