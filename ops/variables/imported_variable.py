"""Variables imported from a meta graph."""

from __future__ import annotations

from ...graph.default_graph import get_default_graph
from ...graph.scopes.collections import GraphKeys, register_proto_function
from ...protos.messages import VariableDef
from .variable import Variable

_IMPORTED = ("__imported_variables",)
_COLLECTIONS = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.GLOBAL_STEP,
)


def imported_variable(variable_def: VariableDef, import_scope: str) -> Variable:
    """The variable of the default graph that a VariableDef names: one object, however often."""
    imported = get_default_graph().get_collection_ref(_IMPORTED)
    variable = Variable(variable_def=variable_def, import_scope=import_scope)
    for other in imported:
        if other.op is variable.op:
            return other
    imported.append(variable)
    return variable


def _to_proto(variable: Variable, export_scope: str | None = None) -> VariableDef:
    return variable.to_proto(export_scope)


for _name in _COLLECTIONS:
    register_proto_function(_name, VariableDef, _to_proto, imported_variable)
