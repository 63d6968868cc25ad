"""Slot variables: named after another variable, for optimizers and averages."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from ...shape_inference.tensor_shape import as_shape
from ..array.constants import zeros_like
from ..initializers.initializers import Zeros
from ..variables.resource_variable import ResourceVariable
from ..variables.save_slice_info import follow_slice
from ..variables.variable import Variable
from .get_variable import get_variable
from .variable_scope import variable_scope, whole_variables


def is_resource(variable: Any) -> bool:
    """True for a resource variable."""
    return isinstance(variable, ResourceVariable)


def variable_beside(
    primary: Any, name: str, initial: Any, shape: Any = None, dtype: Any = None
) -> Variable:
    """A variable called `primary/name`, below the variable scope in force, as in TensorFlow.

    So checkpoints fit. A second one of that name is called `primary/name_1`.

    Args:
        primary: the variable or tensor that it belongs to.
        name: what it is beside `primary`.
        initial: its first value, a tensor, or an initializer, which takes `shape` and `dtype`.
        shape: its shape; None where `initial` is a tensor.
        dtype: its dtype; None where `initial` is a tensor.
    """
    static_shape = initial.shape if shape is None else as_shape(shape)
    variable = isinstance(primary, Variable)
    place = primary.graph.colocate_with(primary) if variable else nullcontext()
    with variable_scope(None, f"{primary.op.name}/{name}"), whole_variables(), place:
        slot: Variable = get_variable(
            "",
            shape=shape,
            dtype=dtype,
            initializer=initial,
            trainable=False,
            validate_shape=static_shape.is_fully_defined(),
            use_resource=is_resource(primary) if variable else None,
        )
    follow_slice(slot, primary)
    return slot


def zeros_beside(primary: Any, name: str, dtype: Any = None) -> Variable:
    """A variable of zeros called `primary/name`, of its shape and, unless stated, its dtype."""
    dtype = dtype or primary.dtype.base_dtype
    if primary.shape.is_fully_defined():
        return variable_beside(primary, name, Zeros(), primary.shape, dtype)
    like = primary.initialized_value() if isinstance(primary, Variable) else primary
    return variable_beside(primary, name, zeros_like(like, dtype))
