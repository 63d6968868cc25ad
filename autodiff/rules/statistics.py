"""Gradients of `ops/statistics`: norms, and sums and means of chosen rows."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.shapes import shape
from ..common.rule_tables import gradient_of, raw, unary, undefined
from ..common.static_facts import known_sizes, times

unary({"L2Loss": lambda g, x, y: times(x, g)})
undefined(
    "counts do not change with what is counted", "Bincount", "DenseBincount", "RaggedBincount"
)


@gradient_of(
    "SparseSegmentMean",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
)
def _sparse_segment(op: Operation, gradient: Tensor) -> list[Any]:
    data, indices, segment_ids = op.inputs[:3]

    def for_data() -> Tensor:
        sizes = known_sizes(data)
        number = shape(data)[0] if sizes is None else sizes[0]
        name = op.type.removesuffix("WithNumSegments") + "Grad"
        return raw(name)(gradient, indices, segment_ids, number)

    return [for_data, *[None for _ in op.inputs[1:]]]


@gradient_of("SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad")
def _sparse_segment_grad(op: Operation, gradient: Tensor) -> list[Any]:
    """The op is linear: its gradient is the op whose gradient it computes."""
    given, indices, segment_ids = op.inputs[:3]
    name = op.type.removesuffix("Grad") + "WithNumSegments"
    back = lambda: raw(name)(gradient, indices, segment_ids, shape(given)[0])  # noqa: E731
    return [back, None, None, None]


undefined(
    "the rows of its result are only known in a run",
    "SparseSegmentSumGradV2",
    "SparseSegmentMeanGradV2",
    "SparseSegmentSqrtNGradV2",
)
