"""Vectorization of functions of elements that are elementwise throughout.

A function that works on each number by itself gives the same for a row of elements as for one
after the other. So it may be run on a batch in place of the elements of the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...graph.bodies import Body, Known
from ...graph.graph import Graph
from ...graph.node import Operation, Tensor
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Bodies, Elementwise
from ..array.identity import IDENTITY
from ..array.placeholder import PLACEHOLDER
from ..array.reshape import expand_dims

if TYPE_CHECKING:
    from .dataset_elements import Element


class RowsBody(NamedTuple):
    """A body whose first inputs are rows.

    Args:
        body: the body.
        given: what is known of its inputs.
        in_rows: of each output, whether it is in rows; otherwise it is the same for all rows.
    """

    body: Body
    given: list[Known]
    in_rows: list[bool]

    def results(self, outputs: Sequence[np.ndarray], number: int) -> Element:
        """The results of the body, all of them in rows."""
        return tuple(
            [
                output if in_rows else np.broadcast_to(output, (number, *output.shape))
                for output, in_rows in zip(outputs, self.in_rows, strict=True)
            ]
        )


def vectorized(body: Body, taken: int, given: Sequence[Known], depth: int) -> RowsBody | None:
    """The body as one of rows; None where it is not elementwise all through.

    Args:
        body: the body of one element.
        taken: how many inputs are components of an element; those behind are the same for all.
        given: what is known of its inputs.
        depth: how many bodies are around the op that has the body.
    """
    if body.effects:
        return None
    shapes = body.inferred(given, depth + 1)
    graph = Graph()
    copies: dict[Tensor, Tensor] = {}
    in_rows: dict[Tensor, int] = {}  # with the rank of one element
    facts: list[Known] = []
    with graph.as_default():
        for i, (tensor, one) in enumerate(zip(body.inputs, given, strict=True)):
            shape = one.shape
            if i < taken:
                if shape.rank is None:
                    return None
                in_rows[tensor] = shape.rank
                shape = TensorShape([None]) + shape
            facts.append(Known(shape, one.value, one.content))
            attrs = {"dtype": tensor.dtype, "shape": shape}
            copies[tensor] = graph.add(PLACEHOLDER, [], attrs, f"arg_{i}").outputs[0]
        passed = {tensor.op for tensor in body.inputs}
        for op in body.needed():
            if op in passed:
                continue
            if not op.definition.pure or op.controls or isinstance(op.definition.traits, Bodies):
                return None
            inputs = [copies[tensor] for tensor in op.inputs]
            rows = [in_rows[tensor] for tensor in op.inputs if tensor in in_rows]
            most = 0
            if rows:
                if not (isinstance(op.definition.traits, Elementwise) or _passes_on(op)):
                    return None
                ranks = [shapes.shape(tensor).rank for tensor in op.inputs]
                if None in ranks:
                    return None
                most = max([rank for rank in ranks if rank is not None])
                inputs = [
                    _of_rank(value, most - in_rows[tensor]) if tensor in in_rows else value
                    for tensor, value in zip(op.inputs, inputs, strict=True)
                ]
            copy = graph.add(op.definition, inputs, dict(op.attrs), graph.unique_name(op.name))
            for mine, its in zip(op.outputs, copy.outputs, strict=True):
                copies[mine] = its
                if rows:
                    in_rows[mine] = most
    outputs = [copies[tensor] for tensor in body.outputs]
    inputs = [copies[tensor] for tensor in body.inputs]
    rows_body = Body(body.name, graph, inputs, outputs, [])
    return RowsBody(rows_body, facts, [tensor in in_rows for tensor in body.outputs])


def _passes_on(op: Operation) -> bool:
    return op.definition is IDENTITY


def _of_rank(value: Tensor, missing: int) -> Tensor:
    """Rows of elements to which sizes of 1 are added in front, as broadcasting would."""
    for _ in range(missing):
        value = expand_dims(value, 1)
    return value
