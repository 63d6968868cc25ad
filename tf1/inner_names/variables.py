"""Names of `tensorflow.python.ops.variables` and `state_ops` for kinds of variables."""

from __future__ import annotations

from typing import Any

from ...graph.node import Tensor
from ...ops import raw_ops
from ...ops.variables.variable import Variable
from ...protos.dtypes import as_dtype
from ...shape_inference.tensor_shape import TensorShape

VariableV1 = RefVariable = Variable


def variable_op_v2(
    shape: Any, dtype: Any, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """A variable by its op: a reference, without an initial value.

    Args:
        shape: its shape.
        dtype: its dtype.
        name: a name for the op.
        container: the container that holds it.
        shared_name: the name under which sessions of one server share it.
    """
    settings = {"container": container, "shared_name": shared_name}
    make: Any = raw_ops.VariableV2
    return make(shape=TensorShape(shape), dtype=as_dtype(dtype), name=name, **settings)


def variable_op(
    shape: Any,
    dtype: Any,
    name: str = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> Tensor:
    """A variable by its op, whose shape may be left open.

    Args:
        shape: its shape.
        dtype: its dtype.
        name: a name for the op.
        set_shape: whether the tensor has that shape; otherwise it is unknown.
        container: the container that holds it.
        shared_name: the name under which sessions of one server share it.
    """
    known = TensorShape(shape) if set_shape else TensorShape(None)
    return variable_op_v2(known, dtype, name, container, shared_name)
