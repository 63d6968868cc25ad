"""Batch normalization in steps: mean and variance of all rows, then each chunk of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...protos.dtypes import float64, int64
from ...shape_inference.split_parts import NotSplittable, SplitContext
from ..array.cast import cast
from ..array.reshape import reshape
from ..array.shapes import size
from ..math.arithmetic import add, maximum, multiply, square, subtract
from ..math.comparison import equal
from ..math.division import realdiv
from ..math.exponentials import rsqrt
from ..math.reductions import reduce_mean, reduce_sum
from ..math.where import where


class _Channels:
    """The channels of images, and how many numbers each of them has."""

    def __init__(self, c: SplitContext, x: Tensor, vector: Tensor) -> None:
        if not c.attr("is_training"):
            raise NotSplittable("only in training it has the statistics of all rows")
        rank = len(c.attr("data_format"))
        self._first = c.attr("data_format").startswith(b"NC")
        self._rank = rank
        channel = 1 if self._first else rank - 1
        self.others = [axis for axis in range(rank) if axis != channel]
        self.count = realdiv(cast(size(x, out_type=int64), float64), cast(size(vector), float64))

    def of(self, vector: Tensor) -> Tensor:
        """A vector with a number for each channel, to be broadcast to images."""
        return reshape(vector, [-1, *[1] * (self._rank - 2)]) if self._first else vector


def batch_norm_steps(
    c: SplitContext, x: Tensor, scale: Tensor, offset: Tensor, mean: Tensor, variance: Tensor
) -> list[Tensor]:
    """Substitute for a normalization in training."""
    channels = _Channels(c, x, scale)
    kind = c.node.outputs[1].dtype
    wide = cast(x, float64)
    mean_of_rows = reduce_mean(wide, channels.others)
    spread = reduce_mean(square(subtract(wide, channels.of(mean_of_rows))), channels.others)
    attrs = {**c.node.attrs, "is_training": False}
    now = [cast(item, kind) for item in (mean_of_rows, spread)]
    normalize: Any = c.node.definition
    results = normalize(x, scale, offset, *now, **attrs)
    unbiased = multiply(
        spread, realdiv(channels.count, maximum(subtract(channels.count, 1.0), 1.0))
    )
    share = c.attr("exponential_avg_factor")
    new = [mean_of_rows, unbiased]
    if share != 1:
        old = [cast(item, float64) for item in (mean, variance)]
        new = [
            add(multiply(before, 1 - share), multiply(after, share))
            for before, after in zip(old, new, strict=True)
        ]
    nothing = equal(channels.count, 0.0)
    saved = [where(nothing, np.float64(0), item) for item in (mean_of_rows, spread)]
    return [results[0], *[cast(item, kind) for item in (*new, *saved)], *results[5:]]


def batch_norm_grad_steps(
    c: SplitContext,
    gradient: Tensor,
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    *reserved: Tensor,
) -> list[Tensor]:
    """Substitute for the gradient of a normalization in training."""
    channels = _Channels(c, x, scale)
    kind = c.node.outputs[1].dtype
    wide = cast(gradient, float64)
    centred = subtract(cast(x, float64), channels.of(cast(mean, float64)))
    total = reduce_sum(wide, channels.others)
    sum_of_products = reduce_sum(multiply(wide, centred), channels.others)
    factor = rsqrt(add(cast(variance, float64), c.attr("epsilon")))
    count = maximum(channels.count, 1.0)
    slope = multiply(realdiv(sum_of_products, count), square(factor))
    back = subtract(wide, channels.of(realdiv(total, count)))
    back = subtract(back, multiply(centred, channels.of(slope)))
    back = multiply(back, channels.of(multiply(cast(scale, float64), factor)))
    nothing = convert_to_tensor(np.zeros(0, kind.numpy_dtype))
    vectors = [cast(item, kind) for item in (multiply(sum_of_products, factor), total)]
    return [cast(back, x.dtype), *vectors, nothing, nothing]
