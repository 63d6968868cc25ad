"""Gradients of `ops/sorting`: of the elements that were chosen."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import expand_dims, reshape
from ...ops.array.shapes import shape, size
from ...ops.array.stack import stack
from ...ops.indexing.gather_nd import scatter_nd
from ...ops.math.comparison import equal
from ...ops.math.reductions import reduce_sum
from ..common.rule_tables import gradient_of, undefined
from ..common.static_facts import shape_of

undefined(
    "equal elements have no order that small changes would keep",
    "ListDiff",
    "Unique",
    "UniqueV2",
    "UniqueWithCounts",
    "UniqueWithCountsV2",
)


@gradient_of("TopK", "TopKV2")
def _top_k(op: Operation, gradient: Tensor | None, _: Any) -> list[Any]:
    x, indices = op.inputs[0], op.outputs[1]

    def for_input() -> Tensor | None:
        if gradient is None:
            return None
        if x.shape.rank == 1:
            return scatter_nd(expand_dims(indices, -1), gradient, shape_of(x))
        sizes = shape(x)
        number = sizes[-1]
        rows = reshape(indices, stack([-1, shape(indices)[-1]]))
        starts = arange(shape(rows)[0]) * number
        places = reshape(cast(rows, starts.dtype) + expand_dims(starts, -1), [-1, 1])
        flat = scatter_nd(places, reshape(gradient, [-1]), reshape(size(x), [1]))
        return reshape(flat, sizes)

    return [for_input, *[None for _ in op.inputs[1:]]]


@gradient_of("NthElement")
def _nth_element(op: Operation, gradient: Tensor) -> Any:
    """Equal elements share it."""
    x, values = op.inputs[0], expand_dims(op.outputs[0], -1)
    chosen = cast(equal(x, values), gradient.dtype)
    return expand_dims(gradient, -1) * chosen / reduce_sum(chosen, -1, keepdims=True), None
