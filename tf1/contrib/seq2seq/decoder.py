"""Decoders, which make a sequence step by step until it ends: `td.contrib.seq2seq`."""

from __future__ import annotations

from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.constants import constant, fill, zeros, zeros_like
from ....ops.array.shapes import shape
from ....ops.array.transpose import transpose
from ....ops.common.structures import flat, packed
from ....ops.control_flow.building import built_while
from ....ops.lists.tensor_array import TensorArray
from ....ops.math.comparison import greater_equal
from ....ops.math.logical import logical_not, logical_or
from ....ops.math.reductions import reduce_all
from ....ops.math.where import where
from ....ops.variable_scopes.variable_scope import variable_scope
from ....shape_inference.tensor_shape import TensorShape
from ....training.rnn.rnn_cell import dims_of

public = {"td.contrib.seq2seq": "Decoder dynamic_decode"}


class Decoder:
    """Base class of decoders that produce a sequence step by step; run by `dynamic_decode`.

    A decoder of your own is a subclass with all of this but, mostly, `finalize`.

    Example:
        >>> issubclass(td.contrib.seq2seq.BasicDecoder, td.contrib.seq2seq.Decoder)
        True
    """

    @property
    def batch_size(self) -> Any:
        """The size of the batch, a number or an int32 scalar."""
        raise NotImplementedError(f"{type(self).__name__} has no batch_size")

    @property
    def output_size(self) -> Any:
        """A structure of the sizes, or shapes without the batch, of the outputs of a step."""
        raise NotImplementedError(f"{type(self).__name__} has no output_size")

    @property
    def output_dtype(self) -> Any:
        """A structure of the dtypes of the outputs of a step."""
        raise NotImplementedError(f"{type(self).__name__} has no output_dtype")

    @property
    def tracks_own_finished(self) -> bool:
        """True if the decoder tracks finished rows itself, as when beams change places."""
        return False

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """The finished rows before the first step, its inputs, and its state."""
        raise NotImplementedError(f"{type(self).__name__} has no initialize")

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Outputs of a step, the next state, the next inputs, and the finished rows."""
        raise NotImplementedError(f"{type(self).__name__} has no step")

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The outputs of all steps and the final state, as `dynamic_decode` returns them."""
        return outputs, final_state


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a decoder in a loop until all rows have ended.

    Args:
        decoder: the decoder.
        output_time_major: whether time comes before batch in the outputs.
        impute_finished: whether rows that have ended give zeros and keep their states. It costs a
            little; the last state is then that at the end of each row.
        maximum_iterations: the most steps, an int32 scalar.
        parallel_iterations: kept for TensorFlow, as for `td.while_loop`.
        swap_memory: accepted for TensorFlow's sake.
        scope: the variable scope; by default "decoder".

    Returns:
        The outputs in the structure of `decoder.output_size`, `[batch, time, …]`; the last state;
        and number of steps of each row, int32 `[batch]`.

    Raises:
        TypeError: `decoder` has the wrong type.
        ValueError: `maximum_iterations` is not a scalar, or the decoder changes a structure or
            shape.

    Example:
        >>> s2s = td.contrib.seq2seq
        >>> with td.Graph().as_default():
        ...     cell = td.nn.rnn_cell.GRUCell(3)
        ...     helper = s2s.TrainingHelper(td.ones([2, 5, 4]), [5, 3])
        ...     decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(2, td.float32))
        ...     outputs, _, lengths = s2s.dynamic_decode(decoder)
        ...     outputs.rnn_output.shape.as_list(), lengths.shape.as_list()
        ([2, None, 3], [2])
    """
    if not hasattr(decoder, "initialize") or not hasattr(decoder, "step"):
        raise TypeError(f"decoder must be a Decoder, got {decoder!r}")
    most = None
    with variable_scope(scope, "decoder"):
        if maximum_iterations is not None:
            most = convert_to_tensor(maximum_iterations, "int32", "maximum_iterations")
            if most.shape.rank != 0:
                raise ValueError(f"maximum_iterations must be a scalar, got shape {most.shape}")
        finished, inputs, state = decoder.initialize()
        if most is not None:
            finished = logical_or(finished, greater_equal(0, most))
        lengths = zeros_like(finished, "int32")
        sizes, dtypes = flat(decoder.output_size), flat(decoder.output_dtype)
        known = batch_of(decoder)
        kinds = list(zip(sizes, dtypes, strict=True))
        arrays = [
            TensorArray(
                dtype,
                size=0,
                dynamic_size=True,
                element_shape=TensorShape([known]).concatenate(TensorShape(dims_of(size))),
            )
            for size, dtype in kinds
        ]

        def body(
            time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any
        ) -> Any:
            outputs, after, following, ended = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                ended = logical_or(ended, finished)
            reached = fill(shape(lengths), time + 1)
            lengths = where(logical_not(finished), reached, lengths)
            made = flat(outputs)
            kept = [_shaped(new, old) for new, old in zip(flat(after), flat(state), strict=True)]
            if impute_finished:
                nothing = [zeros([decoder.batch_size, *dims_of(s)], dtype) for s, dtype in kinds]
                made = [where(finished, *pair) for pair in zip(nothing, made, strict=True)]
                pairs = zip(flat(state), kept, strict=True)
                kept = [new if _passes(new) else where(finished, old, new) for old, new in pairs]
            written = [array.write(time, part) for array, part in zip(arrays, made, strict=True)]
            return time + 1, written, packed(state, kept), following, ended, lengths

        with name_scope(None, "while") as inner:
            _, arrays, state, _, _, lengths = built_while(
                lambda time, arrays, state, inputs, finished, lengths: logical_not(
                    reduce_all(finished)
                ),
                body,
                (constant(0, name="time"), arrays, state, inputs, finished, lengths),
                inner,
                maximum_iterations=most,
                parallel_iterations=parallel_iterations,
            )
        outputs = packed(decoder.output_size, [array.stack() for array in arrays])
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = packed(outputs, [_turned(leaf) for leaf in flat(outputs)])
    return outputs, state, lengths


def batch_of(decoder: Any) -> int | None:
    """The size of a decoder's batch, if it is a number."""
    size = decoder.batch_size
    return size if isinstance(size, int) else None


def _passes(leaf: Any) -> bool:
    """True if a part of a state has no rows."""
    return isinstance(leaf, TensorArray) or leaf.shape.rank == 0


def _shaped(new: Any, old: Any) -> Any:
    """The next part of a state, of the shape that the one before has."""
    if not isinstance(old, TensorArray):
        new = convert_to_tensor(new)
        new.set_shape(old.shape)
    return new


def _turned(tensor: Any) -> Any:
    """The tensor with time and batch in each other's place."""
    rank = tensor.shape.rank
    return tensor if rank is None or rank < 2 else transpose(tensor, [1, 0, *range(2, rank)])
