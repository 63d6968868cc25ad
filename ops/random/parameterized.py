"""Truncated normal random numbers with separate parameters for each row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.errors import InternalError
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from .distributions import normal, sizes_to_draw, uniform
from .random_state import stream_of

PARAMETERIZED_TRUNCATED_NORMAL = OpDef(
    "ParameterizedTruncatedNormal",
    "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
    "seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float32, float64}, T: {int32, int64}",
    traits=STATEFUL,
)
_PARAMETERS = "means", "stdevs", "minvals", "maxvals"
_ATTEMPTS = 1000  # for one number, after which TensorFlow gives up
_ROW = 100  # numbers with the same parameters that count as one row
_INSIDE = 1.3  # standard deviations between mean and bound from which normal numbers are tried


@PARAMETERIZED_TRUNCATED_NORMAL.shape
def _shape(c: ShapeContext) -> TensorShape:
    for name in _PARAMETERS:
        if (c.shape(name).rank or 0) > 1:
            raise ValueError(f"{name} must have rank 0 or 1, got shape {c.shape(name)}")
    return shape_from_value(c, "shape")


@PARAMETERIZED_TRUNCATED_NORMAL.kernel
def _kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    stream = stream_of(c)

    def parameterized(shape: Array, *parameters: Array) -> Array:
        sizes = sizes_to_draw(shape, dtype)
        if not sizes:
            raise ValueError("shape must have at least one size, got []")
        count, rows = math.prod(sizes), sizes[0]
        columns = math.prod(sizes[1:])
        means, stdevs, minvals, maxvals = parameters
        for name, array in zip(_PARAMETERS, parameters, strict=True):
            if array.ndim > 1 or (array.size != 1 and array.shape != (rows,)):
                expected = f"shape [], [1] or [{rows}]"
                raise ValueError(f"{name} must have {expected}, got {list(array.shape)}")
        if means.size == 1 and stdevs.size == 1 and not minvals.ndim and not maxvals.ndim:
            rows, columns = -(-count // _ROW), _ROW
        lines = np.broadcast_to(
            np.stack([np.broadcast_to(array, (rows,)) for array in parameters]), (4, rows)
        )
        words = stream.reserve(rows * 2 * _ATTEMPTS * (columns + 3) // 4).stream()
        source = _Groups(words)
        result = np.empty(count, dtype)
        for i in range(rows):
            part = result[i * columns : (i + 1) * columns]
            part[...] = _row(source, len(part), _Bounds.of(*lines[:, i]), dtype)
        return result.reshape(sizes)

    return fresh(parameterized)


class _Groups:
    """Groups of words, taken one by one from a stream that makes many at once."""

    def __init__(self, words: Iterator[Array]) -> None:
        self._words = words
        self._made = np.empty((0, 4), np.uint32)

    def ahead(self) -> Array:
        """The next groups: some, and at least two."""
        while len(self._made) < 2:
            self._made = np.concatenate([self._made, next(self._words).reshape(-1, 4)])
        return self._made

    def drop(self, groups: int) -> None:
        self._made = self._made[groups:]


class _Bounds(NamedTuple):
    """The parameters of a row; the bounds in standard deviations from the mean."""

    mean: Any
    stdev: Any
    low: Any
    high: Any

    @classmethod
    def of(cls, mean: Any, stdev: Any, low: Any, high: Any) -> _Bounds:
        if not (stdev > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise ValueError(
                "stdevs must be more than 0, and minvals less than maxvals and one of them finite, "
                f"got {stdev}, {low} and {high}"
            )
        if np.isneginf(low) or high < mean:  # mirrored, so that the lower bound is finite
            low, high, stdev = high, low, -stdev
        return cls(mean, stdev, (low - mean) / stdev, (high - mean) / stdev)


def _row(source: _Groups, count: int, bounds: _Bounds, dtype: np.dtype[Any]) -> Array:
    """Numbers of one row, by the rejection method with the lowest rejection rate."""
    low, high = bounds.low, bounds.high
    number = dtype.type
    root = np.sqrt(low * low + number(4))
    cutoff = number(2) * np.exp(number(0.5) + low * (low - root) / number(4)) / (low + root)
    found: list[Array] = []
    missing = count
    refused = 0
    each = 2 if dtype.itemsize == 8 else 4
    while missing > 0:
        words = source.ahead()
        if (low < -_INSIDE and high >= 0) or (high > _INSIDE and low <= 0):
            step = 1
            tried = normal(words, dtype).reshape(-1)
            accepted = (tried >= low) & (tried <= high)
        elif high - low < cutoff:
            step = 2
            pairs: Array = uniform(words[: len(words) // 2 * 2], dtype).reshape(-1, 2, each)
            tried = (pairs[:, 0] * (high - low) + low).reshape(-1)
            above = number(0) if low < 0 else low * low
            accepted = pairs[:, 1].reshape(-1) <= np.exp((above - tried * tried) / number(2))
        else:
            step = 1
            pairs = uniform(words, dtype).reshape(-1, 2)
            alpha = (low + np.sqrt(low * low + number(4))) / number(2)
            with np.errstate(divide="ignore"):
                tried = -np.log(pairs[:, 0]) / alpha + low
            x = alpha - tried if low < alpha else np.full_like(tried, low - alpha)
            accepted = (pairs[:, 1] <= np.exp(-x * x / number(2))) & (tried < high)
        places = np.flatnonzero(accepted)[:missing]
        refused = _most_refused(places, refused, len(tried), len(places) == missing)
        found.append(tried[places])
        missing -= len(places)
        groups = len(words) // step * step
        if not missing:  # the rest of the last group is lost
            per_group = len(tried) * step // groups
            groups = (int(places[-1]) // per_group + 1) * step
        source.drop(groups)
    numbers = np.concatenate(found) if found else np.empty(0, dtype)
    return np.asarray(numbers * bounds.stdev + bounds.mean)


def _most_refused(places: Array, before: int, tried: int, done: bool) -> int:
    """Number of rejections since the last acceptance.

    Raises:
        InternalError: it took too many attempts to find a number.
    """
    runs = np.diff(places, prepend=-1 - before) - 1
    after = tried - 1 - int(places[-1]) if len(places) else before + tried
    if runs.max(initial=0) >= _ATTEMPTS or (after >= _ATTEMPTS and not done):
        raise InternalError(None, None, f"no number is between the bounds in {_ATTEMPTS} attempts")
    return after
