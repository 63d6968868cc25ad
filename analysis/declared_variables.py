"""The variables that ops of a graph declare."""

from __future__ import annotations

from typing import NamedTuple

from ..graph.node import Operation
from ..protos.dtypes import DType
from ..shape_inference.tensor_shape import TensorShape


class DeclaredVariable(NamedTuple):
    """Dtype and shape of a variable's value."""

    dtype: DType
    shape: TensorShape


def declared_variable(op: Operation) -> DeclaredVariable | None:
    """The variable that an op declares; None where it declares none.

    Args:
        op: any op.
    """
    if op.inputs or op.definition.pure or "shape" not in op.attrs or "dtype" not in op.attrs:
        return None
    declares = op.outputs and (
        op.outputs[0].dtype.is_ref_dtype or op.outputs[0].dtype.name == "resource"
    )
    return DeclaredVariable(op.attrs["dtype"], op.attrs["shape"]) if declares else None
