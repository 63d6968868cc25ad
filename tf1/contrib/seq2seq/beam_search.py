"""Beam search for likely sequences."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.array.concat import concat
from ....ops.array.constants import fill, zeros
from ....ops.array.reshape import expand_dims, reshape
from ....ops.array.shapes import shape
from ....ops.array.tile import tile
from ....ops.common.structures import flat, packed
from ....ops.control_flow.cond_and_case import cond
from ....ops.indexing.gather import gather
from ....ops.indexing.one_hot import one_hot
from ....ops.lists.tensor_array import TensorArray
from ....ops.math.arithmetic import minimum
from ....ops.math.comparison import equal
from ....ops.math.division import floordiv, floormod
from ....ops.math.exponentials import log
from ....ops.math.logical import logical_not, logical_or
from ....ops.math.reductions import reduce_all, reduce_max, reduce_sum
from ....ops.math.where import where_v2
from ....ops.nn.activations import log_softmax
from ....ops.nn.gather_tree import gather_tree
from ....ops.sorting.top_k import top_k
from ....protos.dtypes import as_dtype
from ....shape_inference.tensor_shape import TensorShape
from ....training.rnn.steps import checked_cell
from .beam_arrays import gather_tree_from_array
from .decoder import Decoder
from .embedding_helpers import checked_tokens, embedder
from .helpers import batch_size_of

public = {
    "td.contrib.seq2seq": (
        "BeamSearchDecoder BeamSearchDecoderOutput BeamSearchDecoderState "
        "FinalBeamSearchDecoderOutput"
    ),
}


class BeamSearchDecoderState(NamedTuple):
    """The state of a BeamSearchDecoder.

    Args:
        cell_state: the state of the cell, `[batch, beam, …]`.
        log_probs: the logarithm of how likely each sequence is, `[batch, beam]`.
        finished: which have ended, bools `[batch, beam]`.
        lengths: how long they are, int64 `[batch, beam]`.
        accumulated_attention_probs: the total attention, `[batch, beam, steps]`, or `()`.

    Example:
        >>> td.contrib.seq2seq.BeamSearchDecoderState(1, 2, 3, 4, ()).lengths
        4
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """Outputs of a step of a BeamSearchDecoder.

    Args:
        scores: how good each sequence is, `[batch, beam]`.
        predicted_ids: the words that were chosen, int32 `[batch, beam]`.
        parent_ids: the sequences that they lengthen, int32 `[batch, beam]`.

    Example:
        >>> td.contrib.seq2seq.BeamSearchDecoderOutput(1, 2, 3).parent_ids
        3
    """

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """Final outputs of a BeamSearchDecoder.

    Args:
        predicted_ids: the sequences, the best first, int32 `[batch, time, beam]`.
        beam_search_decoder_output: the outputs of the steps.

    Example:
        >>> td.contrib.seq2seq.FinalBeamSearchDecoderOutput(1, 2).predicted_ids
        1
    """

    predicted_ids: Any
    beam_search_decoder_output: Any


class BeamSearchDecoder(Decoder):
    """Follows the likeliest sequences, `beam_width` of them for each row.

    The state of the cell (and the memory of attention mechanisms) must be made for
    `batch * beam_width` rows, by `tile_batch`.

    Args:
        cell: the cell.
        embedding: a table of words `[words, size]`, or a function from words to inputs.
        start_tokens: the first word of each row, int32 `[batch]`.
        end_token: the word that ends a sequence, an int32 scalar.
        initial_state: the first state of the cell, of `batch * beam_width` rows.
        beam_width: the number of sequences to follow.
        output_layer: a layer from the output of the cell to the logits of words.
        length_penalty_weight: scores are divided by `((5 + length) / 6) ** length_penalty_weight`.
        coverage_penalty_weight: how much sequences are preferred that attend to the whole memory;
            it needs an AttentionWrapper as the cell.
        reorder_tensor_arrays: whether histories of attention, in TensorArrays of the last state,
            are put in the order of the sequences that are returned. As in TensorFlow, each step is
            then that of the beam that it led to, not of the one that it came from.

    Raises:
        TypeError: `cell` has the wrong type.
        ValueError: `start_tokens` is not a vector, or `end_token` no scalar.

    Example:
        >>> s2s = td.contrib.seq2seq
        >>> with td.Graph().as_default():
        ...     cell, words = td.nn.rnn_cell.GRUCell(3), td.get_variable("words", [7, 4])
        ...     start = s2s.tile_batch(cell.zero_state(2, td.float32), 5)
        ...     decoder = s2s.BeamSearchDecoder(
        ...         cell, words, td.fill([2], 1), 0, start, 5, td.layers.Dense(7)
        ...     )
        ...     outputs, _, _ = s2s.dynamic_decode(decoder, maximum_iterations=9)
        ...     outputs.predicted_ids.shape.as_list()
        [2, None, 5]
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        checked_cell(cell)
        self._cell, self._output_layer = cell, output_layer
        self._embedding_fn = embedder(embedding)
        self._start_tokens, self._end_token = checked_tokens(start_tokens, end_token)
        self._batch_size, self._width = batch_size_of(self._start_tokens), int(beam_width)
        self._length_weight = length_penalty_weight
        self._coverage_weight = coverage_penalty_weight
        self._reorders = reorder_tensor_arrays
        self._initial_state = packed(
            initial_state, [self._parted(leaf) for leaf in flat(initial_state)]
        )
        starts = tile(expand_dims(self._start_tokens, 1), [1, self._width])
        self._start_inputs = self._embedding_fn(starts)

    @property
    def batch_size(self) -> Any:
        """The size of the batch, without the beams."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: sequences change places, those that have ended with others."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """The sizes of the outputs of a step."""
        return BeamSearchDecoderOutput(*[TensorShape([self._width])] * 3)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """The dtypes of the outputs of a step."""
        dtype = flat(self._initial_state)[0].dtype.base_dtype
        return BeamSearchDecoderOutput(dtype, as_dtype("int32"), as_dtype("int32"))

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """No sequence has ended; the first words, embedded; and the state."""
        batch, width = self._batch_size, self._width
        dtype = self.output_dtype.scores
        # One sequence is likely, so that the first step does not take its first word several times.
        likely = _one_hot(zeros([batch], "int32"), width, 0, -math.inf, dtype)
        finished = fill([batch, width], False)
        paid = self._attention(self._initial_state)
        if paid is not None:
            paid = zeros([batch, width, shape(paid)[2]], dtype)
        state = BeamSearchDecoderState(
            cell_state=self._initial_state,
            log_probs=likely,
            finished=finished,
            lengths=zeros([batch, width], "int64"),
            accumulated_attention_probs=() if paid is None else paid,
        )
        return finished, self._start_inputs, state

    def _attention(self, cell_state: Any) -> Any:
        """The shares of attention, where they count."""
        if self._coverage_weight == 0:
            return None
        shares = getattr(cell_state, "alignments", None)
        if shares is None:
            raise ValueError("coverage_penalty_weight needs an AttentionWrapper as the cell")
        return concat(list(shares), 2) if isinstance(shares, tuple) else shares

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Outputs of a step, the next state, the next inputs, and the finished beams."""
        with name_scope(name, "BeamSearchDecoderStep"):
            before = state.cell_state
            cell_inputs = packed(inputs, [self._joined(leaf) for leaf in flat(inputs)])
            joined = packed(before, [self._joined(leaf) for leaf in flat(before)])
            outputs, after = self._cell(cell_inputs, joined)
            after = packed(after, [self._parted(leaf) for leaf in flat(after)])
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            step_output, state = self._chosen(self._parted(outputs), after, state)
            finished, words = state.finished, step_output.predicted_ids
            following = cond(
                reduce_all(finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(words),
            )
        return step_output, state, following, finished

    def _chosen(
        self, logits: Any, cell_state: Any, before: Any
    ) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
        """The best sequences that are one word longer, or have ended before."""
        width, ended = self._width, before.finished
        words = logits.shape[-1].value or shape(logits)[-1]
        dtype = logits.dtype.base_dtype
        # A finished beam continues only with the end token, at no cost.
        ends = fill([self._batch_size, width], self._end_token)
        onward = _one_hot(ends, words, 0, dtype.min, dtype)
        steps = where_v2(expand_dims(ended, 2), onward, log_softmax(logits))
        totals = expand_dims(before.log_probs, 2) + steps
        longer = _one_hot(ends, words, 0, 1, "int64")
        alive = cast(logical_not(ended), "int64")
        lengths = expand_dims(before.lengths, 2) + longer * expand_dims(alive, 2)
        paid = self._attention(cell_state)
        if paid is not None:
            share = where_v2(expand_dims(ended, 2), zeros([], dtype), paid)
            paid = before.accumulated_attention_probs + share
        scores = self._scores(totals, lengths, paid)
        best = top_k(reshape(scores, [self._batch_size, -1]), width)
        places = reshape(best.indices, [self._batch_size, width])
        ids, parents = floormod(places, words), floordiv(places, words)
        over = gather(ended, parents, batch_dims=1)
        onward_by = cast(logical_not(over), "int64")
        state = BeamSearchDecoderState(
            cell_state=packed(cell_state, [self._of(leaf, parents) for leaf in flat(cell_state)]),
            log_probs=gather(reshape(totals, [self._batch_size, -1]), places, batch_dims=1),
            finished=logical_or(over, equal(ids, self._end_token)),
            lengths=gather(before.lengths, parents, batch_dims=1) + onward_by,
            accumulated_attention_probs=() if paid is None else gather(paid, parents, batch_dims=1),
        )
        values = reshape(best.values, [self._batch_size, width])
        return BeamSearchDecoderOutput(values, ids, parents), state

    def _scores(self, totals: Any, lengths: Any, paid: Any) -> Any:
        """Scores of sequences: log-probabilities with length and coverage penalties."""
        scores = totals
        if self._length_weight != 0:
            grown = (5.0 + cast(lengths, totals.dtype)) / 6.0
            scores = scores / grown**self._length_weight
        if paid is not None:
            covered = reduce_sum(log(minimum(paid, 1.0)), 2)
            scores += self._coverage_weight * expand_dims(covered, 2)
        return scores

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The sequences, from each end back, and the last state."""
        most = cast(reduce_max(final_state.lengths, 1), "int32")
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, most, self._end_token)
        if self._reorders:
            inside = final_state.cell_state
            leaves = [
                gather_tree_from_array(leaf.stack(), outputs.parent_ids, most)
                if isinstance(leaf, TensorArray)
                else leaf
                for leaf in flat(inside)
            ]
            final_state = final_state._replace(cell_state=packed(inside, leaves))
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _parted(self, leaf: Any) -> Any:
        """Reshapes `[batch * beam, …]` to `[batch, beam, …]`; others are returned as they are."""
        if isinstance(leaf, TensorArray) or leaf.shape.rank == 0:
            return leaf
        reshaped = reshape(leaf, concat([[self._batch_size, self._width], shape(leaf)[1:]], 0))
        reshaped.set_shape([self._known_batch, self._width, *leaf.shape.as_list()[1:]])
        return reshaped

    def _joined(self, leaf: Any) -> Any:
        """Reshapes `[batch, beam, …]` to `[batch * beam, …]`; others are returned as they are."""
        if isinstance(leaf, TensorArray) or leaf.shape.rank == 0:
            return leaf
        reshaped = reshape(leaf, concat([[self._batch_size * self._width], shape(leaf)[2:]], 0))
        batch = None if self._known_batch is None else self._known_batch * self._width
        reshaped.set_shape([batch, *leaf.shape.as_list()[2:]])
        return reshaped

    @property
    def _known_batch(self) -> int | None:
        return self._batch_size if isinstance(self._batch_size, int) else None

    def _of(self, leaf: Any, parents: Any) -> Any:
        """The rows of a state that belong to the sequences that were chosen."""
        if isinstance(leaf, TensorArray) or leaf.shape.rank == 0:
            return leaf
        return gather(leaf, parents, batch_dims=1)


def _one_hot(indices: Any, depth: Any, on: float, off: float, dtype: Any) -> Any:
    """`one_hot` of values of a dtype."""
    values = [convert_to_tensor(value, dtype) for value in (on, off)]
    return one_hot(indices, depth, values[0], values[1], dtype=dtype)
