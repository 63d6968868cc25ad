"""Gradients of `ops/windows`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...ops.array.casting import cast
from ...ops.array.ranges import range as arange
from ...ops.array.reshaping import reshape
from ...ops.array.shapes import shape
from ...ops.array.stacking import stack, unstack
from ...ops.array.transposing import transpose
from ...ops.math.segments import unsorted_segment_sum
from ...protos.dtypes import float64, int32
from ..kit.rule_tables import gradient_of, raw
from ..kit.static_knowledge import known_sizes

if TYPE_CHECKING:
    from ...graph.node import Operation, Tensor


@gradient_of("ExtractImagePatches")
def _extract_image_patches(op: Operation, gradient: Tensor) -> Tensor:
    """Each place is numbered, from 1: the patches of the numbers tell where elements came from.

    What a patch has outside of the image is 0, number -1 from 0, which the sum leaves out.
    """
    x = op.inputs[0]
    sizes = known_sizes(x)
    batch, rows, columns, channels = unstack(shape(x), 4) if sizes is None else sizes
    attrs = {name: op.get_attr(name) for name in ("ksizes", "strides", "rates", "padding")}
    numbers = arange(1, rows * columns + 1)
    image = reshape(cast(numbers, float64), stack([1, rows, columns, 1]))
    places = cast(raw("ExtractImagePatches")(image, **attrs), int32)
    window = int(np.prod(attrs["ksizes"]))
    apart = reshape(gradient, stack([batch, -1, window, channels]))
    by_place = reshape(transpose(apart, [1, 2, 0, 3]), stack([-1, batch * channels]))
    total = unsorted_segment_sum(by_place, reshape(places, [-1]) - 1, rows * columns)
    return transpose(reshape(total, stack([rows, columns, batch, channels])), [2, 0, 1, 3])
