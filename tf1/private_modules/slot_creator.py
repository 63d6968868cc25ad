"""`tensorflow.python.training.slot_creator`: the variables that optimizers keep beside others."""

from __future__ import annotations

from typing import Any

from ...ops.variable_scopes.slot_variables import variable_beside, zeros_beside


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Any:
    """Creates a variable with an initial value, named after another one: `primary/name`.

    Args:
        primary: the variable that it belongs to.
        val: its first value, a tensor.
        name: its name below that of `primary`.
        colocate_with_primary: taken for compatibility.
    """
    return variable_beside(primary, name, val)


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
        initializer: the initializer.
        shape: its shape.
        dtype: its dtype.
        name: its name below that of `primary`.
        colocate_with_primary: taken for compatibility.
    """
    return variable_beside(primary, name, initializer, shape, dtype)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """A variable of zeros, of the shape of another one and called after it: `primary/name`.

    Args:
        primary: the variable that it belongs to.
        name: its name below that of `primary`.
        dtype: its dtype; by default that of `primary`.
        colocate_with_primary: taken for compatibility.
    """
    return zeros_beside(primary, name, dtype)
