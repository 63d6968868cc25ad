"""`tensorflow.python.training.slot_creator`: the variables that optimizers keep beside others."""

from __future__ import annotations

from typing import Any

from ...ops.initializers.plain_initializers import Zeros
from ...ops.variable_scopes.get_variable import get_variable
from ...ops.variable_scopes.variable_scope import variable_scope


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Any:
    """A variable that begins with a value, called after another one: `primary/name`.

    Args:
        primary: the variable that it belongs to.
        val: its first value, a tensor.
        name: what it is beside `primary`.
        colocate_with_primary: taken for compatibility.
    """
    with variable_scope(None, f"{primary.op.name}/{name}"):
        return get_variable("", initializer=val, trainable=False)


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
) -> Any:
    """A variable with an initializer, called after another one: `primary/name`.

    Args:
        primary: the variable that it belongs to.
        initializer: what makes its first value.
        shape: its shape.
        dtype: its dtype.
        name: what it is beside `primary`.
        colocate_with_primary: taken for compatibility.
    """
    with variable_scope(None, f"{primary.op.name}/{name}"):
        return get_variable("", shape, dtype, initializer=initializer, trainable=False)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """A variable of zeros, of the shape of another one and called after it: `primary/name`.

    Args:
        primary: the variable that it belongs to.
        name: what it is beside `primary`.
        dtype: its dtype; by default that of `primary`.
        colocate_with_primary: taken for compatibility.
    """
    dtype = dtype or primary.dtype.base_dtype
    shape = primary.shape.as_list()
    return create_slot_with_initializer(primary, Zeros(), shape, dtype, name)
