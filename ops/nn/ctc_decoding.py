"""CTC decoders: greedy and beam search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from .ctc_beams import best_paths
from .ctc_loss import check_sequences

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td.nn": "ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder"}

_FLOATS = "T: {float32, float64} = float32"
CTC_GREEDY_DECODER: OpDef[Results] = OpDef(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, "
    "decoded_shape: int64, log_probability: T",
    f"merge_repeated: bool = false, blank_index: int = -1, {_FLOATS}",
)
CTC_BEAM_SEARCH_DECODER: OpDef[Results] = OpDef(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: top_paths * int64, "
    "decoded_values: top_paths * int64, decoded_shape: top_paths * int64, log_probability: T",
    f"beam_width: int >= 1, top_paths: int >= 1, merge_repeated: bool = true, {_FLOATS}",
)


def _decoded_shapes(c: ShapeContext, paths: int) -> list[TensorShape]:
    inputs: Any = c.shape("inputs", rank=3).sizes
    lengths: Any = c.shape("sequence_length", rank=1).sizes
    batch = c.same_size("the batch of inputs and of sequence_length", inputs[1], lengths[0])
    indices, values = TensorShape([None, 2]), TensorShape([None])
    parts = [[part] * paths for part in (indices, values, TensorShape([2]))]
    return [*(shape for part in parts for shape in part), TensorShape.of((batch, paths))]


@CTC_GREEDY_DECODER.shape
def _ctc_greedy_decoder_shape(c: ShapeContext) -> list[TensorShape]:
    classes = c.shape("inputs", rank=3)[2].value
    if isinstance(classes, int):
        _blank(c, classes)
    return _decoded_shapes(c, 1)


def _blank(c: OpContext, classes: int) -> int:
    """The class that stands for no label.

    Raises:
        ValueError: there is no such class.
    """
    index: int = c.attr("blank_index")
    if not -classes <= index < classes:
        raise ValueError(f"blank_index = {index} is not in [-{classes}, {classes})")
    return index % classes


@CTC_GREEDY_DECODER.fresh_kernel
def _ctc_greedy_decoder_kernel(c: KernelContext) -> Kernel:
    merges = c.attr("merge_repeated")

    def decode(inputs: Array, lengths: Array) -> tuple[Array, ...]:
        check_sequences(inputs, lengths)
        blank = _blank(c, inputs.shape[2])
        best = inputs.argmax(-1)
        # TensorFlow compares with `>`, so that NaN is never greater.
        best[np.isnan(inputs).any(-1)] = 0
        alive = np.arange(len(inputs))[:, None] < lengths
        scores = np.take_along_axis(inputs, best[..., None], -1)[..., 0]
        score = -np.where(alive, scores, 0).sum(0, dtype=inputs.dtype)
        chosen = alive & (best != blank)
        if merges:
            chosen[1:] &= best[1:] != best[:-1]
        rows = [best[kept, at] for at, kept in enumerate(chosen.T)]
        return (*_sparse_rows(rows), score[:, None])

    return decode


def _sparse_rows(rows: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Rows of labels as the parts of a sparse tensor."""
    counts = np.array([len(row) for row in rows], np.int64)
    numbers = np.concatenate([np.arange(count) for count in counts])
    indices = np.stack([np.repeat(np.arange(len(rows)), counts), numbers], 1).astype(np.int64)
    shape = np.array([len(rows), counts.max(initial=0)], np.int64)
    return indices, np.concatenate(rows).astype(np.int64), shape


@CTC_BEAM_SEARCH_DECODER.shape
def _ctc_beam_search_decoder_shape(c: ShapeContext) -> list[TensorShape]:
    return _decoded_shapes(c, _paths(c))


def _paths(c: OpContext) -> int:
    """Number of results for each row.

    Raises:
        ValueError: more than the search keeps.
    """
    paths: int = c.attr("top_paths")
    if paths > c.attr("beam_width"):
        raise ValueError(f"top_paths = {paths} is more than beam_width = {c.attr('beam_width')}")
    return paths


@CTC_BEAM_SEARCH_DECODER.fresh_kernel
def _ctc_beam_search_decoder_kernel(c: KernelContext) -> Kernel:
    paths, width, merges = _paths(c), c.attr("beam_width"), c.attr("merge_repeated")

    def decode(inputs: Array, lengths: Array) -> tuple[Array, ...]:
        check_sequences(inputs, lengths)
        found, scores = best_paths(inputs, lengths, width, paths)
        columns = []
        for column in zip(*found, strict=True):
            rows = [np.array(row, np.int64) for row in column]
            if merges:
                rows = [row[np.append(True, row[1:] != row[:-1])[: len(row)]] for row in rows]
            columns.append(_sparse_rows(rows))
        return (*(part for parts in zip(*columns, strict=True) for part in parts), scores)

    return decode


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the class that is likeliest in each step.

    Args:
        inputs: logits, floats `[time, batch, classes]`.
        sequence_length: how many steps each row has, an int32 vector.
        merge_repeated: whether a class that is chosen in steps that follow each other is one label.
        blank_index: the class that stands for "no label"; by default the last one.

    Returns:
        A list of one int64 SparseTensor `[batch, labels]`, and for each row the negative sum of
        the greatest logits, `[batch, 1]`.

    Raises:
        ValueError: a shape does not fit. In the run, as an InvalidArgumentError, also where a
            length is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     logits = td.one_hot([[1], [1], [2], [1], [0]], 3)
        ...     (labels,), _ = td.nn.ctc_greedy_decoder(logits, [5])
        ...     print(session.run(labels).values)
        [1 1 0]
    """
    outputs = CTC_GREEDY_DECODER(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    labels = SparseTensor(outputs.decoded_indices, outputs.decoded_values, outputs.decoded_shape)
    return [labels], outputs.log_probability


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The labels that are likeliest over all places that they can have in time.

    The last class stands for "no label". What is equally likely comes in the order in which it is
    found; in TensorFlow it comes in the order of a heap.

    Args:
        inputs: logits, floats `[time, batch, classes]`.
        sequence_length: how many steps each row has, an int32 vector.
        beam_width: how many beginnings are followed.
        top_paths: how many results are wanted of each row, at most `beam_width`.
        merge_repeated: whether of equal labels that follow each other in a result one is kept.
            TensorFlow's default, and seldom what is wanted: `A _ A` then becomes `A`.

    Returns:
        A list of `top_paths` int64 SparseTensors `[batch, labels]`, and the logarithms of how
        likely they are, `[batch, top_paths]`.

    Raises:
        ValueError: a shape does not fit, or `top_paths` is greater than `beam_width`. In the run,
            as an InvalidArgumentError, also where there are fewer results than are wanted.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     logits = td.log([[[0.3, 0.7]], [[0.4, 0.6]]])
        ...     (labels, _), score = td.nn.ctc_beam_search_decoder(logits, [2], top_paths=2)
        ...     print(session.run(labels).values, session.run(td.exp(score)).round(4))
        [0] [[0.58 0.42]]
    """
    outputs = CTC_BEAM_SEARCH_DECODER(
        inputs,
        sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    parts: Any = zip(
        outputs.decoded_indices, outputs.decoded_values, outputs.decoded_shape, strict=True
    )
    return [SparseTensor(*part) for part in parts], outputs.log_probability


def ctc_beam_search_decoder_v2(
    inputs: TensorLike, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """`ctc_beam_search_decoder` without merging what is equal in a result.

    Args:
        inputs: as there.
        sequence_length: as there.
        beam_width: as there.
        top_paths: as there.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     logits = 9.0 * td.one_hot([[0], [1], [0]], 2)
        ...     (labels,), _ = td.nn.ctc_beam_search_decoder_v2(logits, [3])
        ...     print(session.run(labels).values)
        [0 0]
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
