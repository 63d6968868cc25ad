"""The best sequence of tags: in the graph, and in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.convert import convert_to_tensor
from ....graph.node import Tensor
from ....ops.array.cast import cast
from ....ops.array.concat import concat
from ....ops.array.constants import zeros_like
from ....ops.array.ranges import range as numbers
from ....ops.array.reshape import expand_dims
from ....ops.array.shapes import shape
from ....ops.array.transpose import transpose
from ....ops.control_flow.map_and_fold import scan
from ....ops.indexing.gather import gather
from ....ops.indexing.masks import sequence_mask
from ....ops.math.argmax import argmax
from ....ops.math.reductions import reduce_max
from ....ops.math.where import where_v2
from ....shape_inference.protocols import Array
from .crf_log_likelihood import later_steps

public = {"td.contrib.crf": "crf_decode viterbi_decode"}


def crf_decode(
    potentials: Any, transition_params: Any, sequence_length: Any
) -> tuple[Tensor, Tensor]:
    """The best sequence of tags of each example, and its score.

    Args:
        potentials: a score for each tag, float `[batch, steps, tags]`.
        transition_params: a score for each pair, float `[tags, tags]`.
        sequence_length: number of steps that count, int `[batch]`.

    Returns:
        The tags, int32 `[batch, steps]`, 0 after the end; and the scores `[batch]`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     potentials = [[[1.0, 2.0], [3.0, 0.0]]]
        ...     tags, score = td.contrib.crf.crf_decode(potentials, [[0.0, 0.0], [0.0, 9.0]], [2])
        ...     session.run([tags, score])
        [array([[1, 1]], dtype=int32), array([11.], dtype=float32)]
    """
    inputs, steps = convert_to_tensor(potentials), convert_to_tensor(transition_params)
    lengths = cast(sequence_length, "int32")
    stay = numbers(shape(inputs)[2])

    def add_step(before: Any, element: Any) -> Any:
        (alphas, _), (scores, place) = before, element
        joined = expand_dims(alphas, 2) + steps
        counts = expand_dims(place < lengths, 1)
        moved = where_v2(counts, scores + reduce_max(joined, axis=1), alphas)
        return moved, where_v2(counts, cast(argmax(joined, 1), "int32"), stay)

    first = inputs[:, 0]
    none = zeros_like(first, dtype="int32")
    later, places = later_steps(inputs)
    alphas, pointers = scan(add_step, (later, places), initializer=(first, none))
    ends = concat([expand_dims(first, 0), alphas], 0)[-1]
    last = cast(argmax(ends, 1), "int32")
    walk = scan(
        lambda tag, pointer: gather(pointer, expand_dims(tag, 1), axis=1, batch_dims=1)[:, 0],
        pointers[::-1],
        initializer=last,
    )
    tags = transpose(concat([walk[::-1], expand_dims(last, 0)], 0))
    counted = sequence_mask(lengths, shape(inputs)[1], dtype=tags.dtype)
    return tags * counted, reduce_max(ends, axis=1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """The best sequence of tags of one example, in NumPy.

    Args:
        score: a score for each tag, an array `[steps, tags]`.
        transition_params: a score for each pair, an array `[tags, tags]`.

    Returns:
        The tags, and their score.

    Example:
        >>> td.contrib.crf.viterbi_decode([[1.0, 2.0], [3.0, 0.0]], [[0.0, 0.0], [0.0, 9.0]])
        ([1, 1], np.float64(11.0))
    """
    scores, steps = np.asarray(score), np.asarray(transition_params)
    best = scores[0]
    pointers: list[Array] = []
    for scores_here in scores[1:]:
        joined = best[:, np.newaxis] + steps
        pointers.append(joined.argmax(0))
        best = scores_here + joined.max(0)
    tags = [int(best.argmax())]
    for pointer in reversed(pointers):
        tags.append(int(pointer[tags[-1]]))
    return tags[::-1], best.max()
