"""Models from lists of inputs to lists of outputs: an encoder, and a decoder of its last state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from ....ops.array.concat import concat
from ....ops.array.reshape import reshape
from ....ops.common.structures import flat, packed
from ....ops.control_flow.cond_and_case import cond
from ....ops.nn.embeddings import embedding_lookup
from ....ops.variable_scopes.get_variable import get_variable
from ....ops.variable_scopes.variable_scope import get_variable_scope, variable_scope
from ....training.rnn.static_rnn import static_rnn
from ..rnn.projection_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from .decoders import (
    checked_projection,
    embedding_attention_decoder,
    embedding_rnn_decoder,
    greatest_embedded,
    rnn_decoder,
)

public = {
    "td.contrib.legacy_seq2seq, td.nn.seq2seq": (
        "basic_rnn_seq2seq embedding_attention_seq2seq embedding_rnn_seq2seq "
        "embedding_tied_rnn_seq2seq one2many_rnn_seq2seq tied_rnn_seq2seq"
    ),
}


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    dtype: Any = "float32",
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder and a decoder that begins with its last state; each has variables of its own.

    Args:
        encoder_inputs: for each step of the encoder a tensor `[batch, size]`.
        decoder_inputs: for each step of the decoder a tensor `[batch, size]`.
        cell: the cell of the decoder; the encoder has another one that is like it.
        dtype: the dtype of the first state.
        scope: the variable scope; by default "basic_rnn_seq2seq".

    Returns:
        The list of the outputs, and the last state.

    Example:
        >>> with td.Graph().as_default():
        ...     steps, cell = [td.ones([2, 4])] * 3, td.nn.rnn_cell.GRUCell(5)
        ...     outputs, _ = td.contrib.legacy_seq2seq.basic_rnn_seq2seq(steps, steps, cell)
        ...     len(outputs), td.global_variables()[0].op.name
        (3, 'basic_rnn_seq2seq/rnn/gru_cell/gates/kernel')
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    loop_function: Callable[[Any, Any], Any] | None = None,
    dtype: Any = "float32",
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`basic_rnn_seq2seq` with the variables of a single cell for encoder and decoder.

    Args:
        encoder_inputs: as there.
        decoder_inputs: as there.
        cell: the cell.
        loop_function: as for `rnn_decoder`.
        dtype: as there.
        scope: the variable scope in "combined_tied_rnn_seq2seq"; by default "tied_rnn_seq2seq".

    Example:
        >>> with td.Graph().as_default():
        ...     steps, cell = [td.ones([2, 4])] * 3, td.nn.rnn_cell.GRUCell(5)
        ...     _ = td.contrib.legacy_seq2seq.tied_rnn_seq2seq(steps, steps, cell)
        ...     len(td.global_variables())
        4
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        inside = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=inside)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, inside)


def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`basic_rnn_seq2seq` over words, which are embedded.

    Args:
        encoder_inputs: for each step of the encoder the words, int32 `[batch]`.
        decoder_inputs: for each step of the decoder the words, int32 `[batch]`.
        cell: as for `basic_rnn_seq2seq`.
        num_encoder_symbols: the number of words of the encoder.
        num_decoder_symbols: the number of words of the decoder.
        embedding_size: the size of word embeddings.
        output_projection: weights and biases that make logits of outputs; by default the outputs
            are logits, by an `OutputProjectionWrapper`.
        feed_previous: whether each word is the likeliest one of the output before: a Python bool,
            or a bool Tensor of rank 0.
        dtype: the dtype of the first state; by default float32.
        scope: the variable scope; by default "embedding_rnn_seq2seq".

    Returns:
        The list of the outputs, and the last state.

    Example:
        >>> with td.Graph().as_default():
        ...     words, cell = [td.constant([1, 2])] * 3, td.nn.rnn_cell.GRUCell(5)
        ...     outputs, _ = td.contrib.legacy_seq2seq.embedding_rnn_seq2seq(
        ...         words, words, cell, 9, 8, 4, feed_previous=td.placeholder(td.bool, [])
        ...     )
        ...     outputs[0].shape.as_list()
        [2, 8]
    """
    with variable_scope(scope or "embedding_rnn_seq2seq", dtype=dtype):
        encoder = EmbeddingWrapper(deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or "float32")
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decoded(feeds: bool) -> tuple[list[Any], Any]:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection,
                feeds,
            )

        return _fed(decoded, feed_previous)


def _fed(decoded: Callable[[bool], tuple[list[Any], Any]], feeds: Any) -> tuple[list[Any], Any]:
    """Runs a decoder that is fed its own outputs or not, possibly decided at run time."""
    if isinstance(feeds, bool):
        return decoded(feeds)
    forms: list[Any] = []

    def flattened(feed: bool) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=None if feed else True):
            outputs, state = decoded(feed)
        forms.append((outputs, state))
        return [*outputs, *flat(state)]

    made = cond(feeds, lambda: flattened(True), lambda: flattened(False))
    outputs, state = forms[0]
    return list(made[: len(outputs)]), packed(state, made[len(outputs) :])


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`tied_rnn_seq2seq` over words, with one table for encoder and decoder.

    Args:
        encoder_inputs: as for `embedding_rnn_seq2seq`, like all arguments not listed here.
        decoder_inputs: as there.
        cell: as for `tied_rnn_seq2seq`.
        num_symbols: the number of words.
        embedding_size: as there.
        num_decoder_symbols: the number of words that come out; by default all of them.
        output_projection: as there.
        feed_previous: as there.
        dtype: as there.
        scope: the variable scope; by default "embedding_tied_rnn_seq2seq".

    Returns:
        The list of the outputs, and the last state.

    Example:
        >>> with td.Graph().as_default():
        ...     words, cell = [td.constant([1, 2])] * 3, td.nn.rnn_cell.GRUCell(5)
        ...     outputs, _ = td.contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq(
        ...         words, words, cell, num_symbols=9, embedding_size=4
        ...     )
        ...     outputs[0].shape.as_list(), td.global_variables()[0].op.name
        ([2, 9], 'embedding_tied_rnn_seq2seq/embedding')
    """
    words = num_symbols if num_decoder_symbols is None else num_decoder_symbols
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype):
        table = get_variable("embedding", [num_symbols, embedding_size])
        projection = checked_projection(output_projection, words)
        ahead = [embedding_lookup(table, step) for step in encoder_inputs]
        behind = [embedding_lookup(table, step) for step in decoder_inputs]
        if projection is None:
            cell = OutputProjectionWrapper(cell, words)

        def decoded(feeds: bool) -> tuple[list[Any], Any]:
            following = greatest_embedded(table, projection, True) if feeds else None
            return tied_rnn_seq2seq(ahead, behind, cell, following, dtype or "float32")

        return _fed(decoded, feed_previous)


def embedding_attention_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`embedding_rnn_seq2seq` with a decoder that attends to the outputs of the encoder.

    Args:
        encoder_inputs: as for `embedding_rnn_seq2seq`, like all arguments not listed here.
        decoder_inputs: as there.
        cell: as there.
        num_encoder_symbols: as there.
        num_decoder_symbols: as there.
        embedding_size: as there.
        num_heads: as for `attention_decoder`.
        output_projection: as there.
        feed_previous: as there.
        dtype: as there.
        scope: the variable scope; by default "embedding_attention_seq2seq".
        initial_state_attention: as for `attention_decoder`.

    Returns:
        The list of the outputs, and the last state.

    Example:
        >>> with td.Graph().as_default():
        ...     words, cell = [td.constant([1, 2])] * 3, td.nn.rnn_cell.GRUCell(5)
        ...     outputs, _ = td.contrib.legacy_seq2seq.embedding_attention_seq2seq(
        ...         words, words, cell, 9, 8, 4
        ...     )
        ...     outputs[0].shape.as_list(), td.global_variables()[0].op.name
        ([2, 8], 'embedding_attention_seq2seq/rnn/embedding_wrapper/embedding')
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype):
        encoder = EmbeddingWrapper(deepcopy(cell), num_encoder_symbols, embedding_size)
        encoded, state = static_rnn(encoder, encoder_inputs, dtype=dtype or "float32")
        memory = concat([reshape(step, [-1, 1, cell.output_size]) for step in encoded], 1)
        size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            size = num_decoder_symbols

        def decoded(feeds: bool) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                memory,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads,
                size,
                output_projection,
                feeds,
                initial_state_attention=initial_state_attention,
            )

        return _fed(decoded, feed_previous)


def one2many_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs_dict: Mapping[str, Sequence[Any]],
    enc_cell: Any,
    dec_cells_dict: Mapping[str, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: Mapping[str, int],
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """One encoder, and several decoders of its last state, each with a name.

    Args:
        encoder_inputs: as for `embedding_rnn_seq2seq`, like all arguments not listed here.
        decoder_inputs_dict: for each decoder its inputs.
        enc_cell: the cell of the encoder.
        dec_cells_dict: for each decoder its cell.
        num_encoder_symbols: as there.
        num_decoder_symbols_dict: for each decoder the number of its words.
        embedding_size: as there.
        feed_previous: as there.
        dtype: as there.
        scope: the variable scope; by default "one2many_rnn_seq2seq".

    Returns:
        For each decoder the list of its outputs, and for each its last state.

    Example:
        >>> with td.Graph().as_default():
        ...     words, cells = [td.constant([1, 2])] * 3, td.nn.rnn_cell.GRUCell
        ...     outputs, _ = td.contrib.legacy_seq2seq.one2many_rnn_seq2seq(
        ...         words, {"de": words}, cells(5), {"de": cells(5)}, 9, {"de": 8}, 4
        ...     )
        ...     outputs["de"][0].shape.as_list()
        [2, 8]
    """
    outputs, states = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype):
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or "float32")
        for name, steps in decoder_inputs_dict.items():
            with variable_scope(f"one2many_decoder_{name}"):
                words = num_decoder_symbols_dict[name]
                cell = OutputProjectionWrapper(dec_cells_dict[name], words)
                decoded = partial(
                    embedding_rnn_decoder, steps, state, cell, words, embedding_size, None
                )
                outputs[name], states[name] = _fed(decoded, feed_previous)
    return outputs, states
