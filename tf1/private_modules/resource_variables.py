"""`tensorflow.python.ops.resource_variable_ops`: the class, to make and to recognise them."""

from __future__ import annotations

from ...ops.variable_scopes.slot_variables import is_resource as is_resource_variable
from ...ops.variables.resource_variable import ResourceVariable

__all__ = ["ResourceVariable", "is_resource_variable"]
