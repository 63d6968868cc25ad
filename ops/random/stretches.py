"""Random numbers for a chunk of a tensor: only its stretch of the stream is drawn.

Sample number i has a known place in its stream, so that a chunk of rows is drawn by skipping what
comes before it. `RandomStretch` replaces the op that draws them all where a graph is run in
chunks; no graph that is built by calls holds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.split_parts import OWN, WHOLE, Partition, SplitContext, along
from ...shape_inference.tensor_shape import TensorShape
from ..array.constants import constant
from .distributions import KINDS, drawn, sizes_to_draw
from .random_state import PHILOX, stream_of_key

if TYPE_CHECKING:
    Steps = Callable[..., list[Tensor]]

RANDOM_STRETCH = OpDef(
    "RandomStretch",
    "shape: T, start: int64, total: int64, key: uint64, counter: uint64, alg: int32, "
    "bounds: N * dtype -> output: dtype",
    f"kind: {{{', '.join(map(repr, KINDS))}}}, axis: int >= 0, dtype: type, "
    "T: {int32, int64}, N: int >= 0",
)


class StretchContext(Protocol):
    """Annotation for the steps of an op: how its results are split."""

    @property
    def output_dtype(self) -> DType:
        """The dtype of what the op makes."""

    def rows_of(self, shape: Tensor) -> tuple[int, Tensor, Tensor]:
        """Position of the chunk: its axis, its start along it, and the size of the whole."""

    def stream(self) -> Sequence[Tensor]:
        """Key and counter of the stream of the op, set aside for all chunks of a run."""


@RANDOM_STRETCH.shape
def _stretch_shape(c: ShapeContext) -> TensorShape:
    shape = shape_from_value(c, "shape")
    if shape.rank is not None:
        _check_axis(c.attr("axis"), shape.rank)
    return shape


def _check_axis(axis: int, rank: int) -> None:
    if axis >= rank:
        raise ValueError(f"axis = {axis} is not in [0, {rank})")


@RANDOM_STRETCH.split
def _stretch_split(c: SplitContext) -> Partition:
    takes = [OWN if part == OWN and i < 3 else WHOLE for i, part in enumerate(c.parts)]
    return Partition(takes, [along(c.attr("axis"))])


@RANDOM_STRETCH.kernel
def _stretch_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    kind, axis = c.attr("kind").decode(), c.attr("axis")

    def stretch(
        shape: Array,
        start: Array,
        total: Array,
        key: Array,
        counter: Array,
        alg: Array,
        *bounds: Array,
    ) -> Array:
        sizes = sizes_to_draw(shape, dtype)
        _check_axis(axis, len(sizes))
        first, last = int(start), int(total) - sizes[axis]
        if not 0 <= first <= last:
            raise ValueError(f"start = {first} is not in [0, {last}]")
        stream = stream_of_key(key, counter, alg)
        inner = math.prod(sizes[axis + 1 :])
        result = np.empty((math.prod(sizes[:axis]), sizes[axis] * inner), dtype)
        if result.size:
            for i, line in enumerate(result):
                before = (i * int(total) + first) * inner
                line[...] = drawn(kind, stream, len(line), dtype, bounds, before)
        return result.reshape(sizes)

    return fresh(stretch)


def random_stretch(
    c: StretchContext,
    kind: str,
    shape: Tensor,
    key: Tensor,
    counter: Tensor,
    alg: Any,
    *bounds: Tensor,
) -> list[Tensor]:
    """Substitute for an op that draws random numbers: it draws only the chunk's stretch."""
    axis, start, total = c.rows_of(shape)
    dtype = c.output_dtype.base_dtype
    return [
        RANDOM_STRETCH(
            shape, start, total, key, counter, alg, list(bounds), kind=kind, axis=axis, dtype=dtype
        )
    ]


def stretch_of_stream(kind: str) -> Steps:
    """The steps of an op that has a stream in the session."""

    def steps(c: StretchContext, shape: Tensor, *bounds: Tensor) -> list[Tensor]:
        algorithm = constant(np.int32(PHILOX))
        return random_stretch(c, kind, shape, *c.stream(), algorithm, *bounds)

    return steps
