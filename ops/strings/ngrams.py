"""N-grams: runs of adjacent strings, joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from .string_arrays import Room, joined, strings
from .unicode import check_splits

if TYPE_CHECKING:
    from ...graph.op_def import Results

STRING_N_GRAMS: OpDef[Results] = OpDef(
    "StringNGrams",
    "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
    "separator: string, ngram_widths: list(int) >= 0, left_pad: string, right_pad: string, "
    "pad_width: int, preserve_short_sequences: bool, Tsplits: {int32, int64} = int64",
)


@STRING_N_GRAMS.shape
def _n_grams_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("data", rank=1)
    return [TensorShape([None]), c.shape("data_splits", rank=1)]


@STRING_N_GRAMS.fresh_kernel
def _n_grams_kernel(c: KernelContext) -> Kernel:
    widths, padding = c.attr("ngram_widths"), c.attr("pad_width")
    if min(widths, default=1) < 1:
        raise ValueError(f"ngram_widths must be at least 1, got {list(widths)}")
    left, right, separator = c.attr("left_pad"), c.attr("right_pad"), c.attr("separator")
    keep_short = c.attr("preserve_short_sequences")
    dtype = c.attr("Tsplits").numpy_dtype

    def padded(items: Sequence[bytes], width: int) -> Sequence[bytes]:
        # A negative width means as much as a run can reach beyond the ends.
        number = width - 1 if padding < 0 else min(padding, width - 1)
        return [*[left] * number, *items, *[right] * number]

    def of_row(items: Sequence[bytes], room: Room) -> Iterator[bytes]:
        found = False
        for width in widths:
            tokens = padded(items, width)
            for start in range(len(tokens) - width + 1):
                found = True
                yield joined(separator, tokens[start : start + width], room)
        if keep_short and not found and items:
            number = max(padding, 0)
            yield joined(separator, [*[left] * number, *items, *[right] * number], room)

    def n_grams(data: Array, splits: Array) -> tuple[Array, Array]:
        if data.ndim != 1:
            raise ValueError(f"data must be a vector, got shape {list(data.shape)}")
        if not len(splits) and not len(data):
            return strings([], [0]), splits.copy()
        check_splits(splits, len(data), "data_splits")
        check_size([(len(data) + 2 * len(splits) * max(widths, default=0)) * len(widths)], dtype)
        items, ends, room = data.tolist(), [0], Room()
        grams: list[bytes] = []
        for start, end in zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True):
            grams += of_row(items[start:end], room)
            ends.append(len(grams))
        return strings(grams, [len(grams)]), np.array(ends, dtype)

    return n_grams
