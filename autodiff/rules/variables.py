"""Gradients of `ops/variables`: of reading them. What changes a variable has none.

The gradient of a variable is collected at its op: the handle, or the reference.
"""

from __future__ import annotations

from typing import Any

from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation, Tensor
from ...ops.array.reshape import squeeze
from ...ops.indexing.gather_nd import SCATTER_ND
from ...ops.variables.resource_ops import VARIABLE_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ..common.rule_tables import gradient_of, not_differentiable
from .indexing import slices_of

not_differentiable(
    "Variable",
    "VariableV2",
    "VarHandleOp",
    "TemporaryVariable",
    "DestroyTemporaryVariable",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "StridedSliceAssign",
    *(f"Scatter{how}" for how in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")),
    *(f"ScatterNd{how}" for how in ("Add", "Max", "Min", "Sub", "Update")),
)


@gradient_of("ReadVariableOp", takes_slices=True)
def _read_variable_op(op: Operation, gradient: Any) -> Any:
    return gradient


@gradient_of("ResourceGather")
def _resource_gather(op: Operation, gradient: Tensor) -> Any:
    handle, indices = op.inputs
    if op.get_attr("batch_dims") if "batch_dims" in op.attrs else 0:
        raise LookupError(f"No gradient defined for {op.name!r}: ResourceGather with batch_dims")
    return slices_of(VARIABLE_SHAPE(handle), _shape(handle), indices, gradient), None


@gradient_of("ResourceGatherNd")
def _resource_gather_nd(op: Operation, gradient: Tensor) -> Any:
    handle, indices = op.inputs
    whole = VARIABLE_SHAPE(handle, out_type=indices.dtype)
    if indices.shape.rank == 2 and indices.shape.as_list()[-1] == 1:
        return IndexedSlices(gradient, squeeze(indices, [-1]), whole), None
    return SCATTER_ND(indices, gradient, whole), None


def _shape(handle: Tensor) -> TensorShape:
    content = handle.op.graph.inference.content(handle)
    return TensorShape(None) if content is None else content.declared
