"""`Variable.initialized_value`: the value of a variable, or its initial value."""

from __future__ import annotations

from functools import wraps

from ...graph.default_graph import graph_using, outside_bodies
from ...graph.node import Tensor
from ..variables.variable import Variable
from .cond_and_case import cond


@wraps(Variable.initialized_value)
def _initialized_value(self: Variable) -> Tensor:
    with graph_using(self.graph).as_default(), outside_bodies():
        return cond(self.is_initialized(), self.read_value, lambda: self.initial_value)


Variable.initialized_value = _initialized_value  # type: ignore[method-assign]
