"""Slots: the variables that an optimizer keeps beside those that it trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.default_graph import get_default_graph, outermost
from ...graph.graph import Graph
from ...ops.variable_scopes.slot_variables import is_resource, variable_beside, zeros_beside
from ...ops.variables.variable import Variable

if TYPE_CHECKING:
    Key = tuple[Graph, str]


def _key(variable: Any) -> Key:
    return variable.graph, variable.op.name


class Slots:
    """The slots of one optimizer, and the variables that belong to none of the trained ones.

    A slot of the variable `w` of the optimizer `Adam` is called `w/Adam`, the next `w/Adam_1`, as
    in TensorFlow, so that checkpoints fit.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, dict[Key, Variable]] = {}
        self._others: dict[tuple[str, Graph], Variable] = {}

    def names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self.by_name)

    def get(self, variable: Any, name: str) -> Variable | None:
        """A slot of a variable, if it was made."""
        return self.by_name.get(name, {}).get(_key(variable))

    def get_or_make(
        self, variable: Any, initial: Any, name: str, op_name: str, shape: Any, dtype: Any
    ) -> Variable:
        """A slot of a variable.

        Args:
            variable: the variable.
            initial: a tensor, or an initializer, which takes `shape` and `dtype`.
            name: the name of the slot.
            op_name: what the name of the new variable ends with.
            shape: the shape; None where `initial` is a tensor.
            dtype: the dtype.
        """
        slots = self.by_name.setdefault(name, {})
        if (key := _key(variable)) not in slots:
            slots[key] = variable_beside(variable, op_name, initial, shape, dtype)
        return slots[key]

    def zeros(self, variable: Any, name: str, op_name: str) -> Variable:
        """A slot of zeros, in the shape of the variable."""
        slots = self.by_name.setdefault(name, {})
        if (key := _key(variable)) not in slots:
            slots[key] = zeros_beside(variable, op_name)
        return slots[key]

    def other(self, initial: Any, name: str, beside: Any) -> Variable:
        """A variable that belongs to none, one for each graph."""
        key = (name, beside.graph)
        if key not in self._others:
            with beside.graph.colocate_with(beside):
                self._others[key] = Variable(
                    initial, name=name, trainable=False, use_resource=is_resource(beside)
                )
        return self._others[key]

    def get_other(self, name: str, graph: Graph | None) -> Variable | None:
        """A variable that belongs to none, if it was made."""
        return self._others.get((name, outermost(graph or get_default_graph())))

    def others(self) -> dict[str, Variable]:
        """Those of the default graph that belong to none, by name."""
        graph = outermost(get_default_graph())
        return {name: v for (name, home), v in self._others.items() if home is graph}

    def variables(self) -> list[Variable]:
        """All of them that are in the default graph, by name."""
        graph = outermost(get_default_graph())
        found = [*self._others.values()]
        found += [slot for slots in self.by_name.values() for slot in slots.values()]
        return sorted((v for v in found if v.graph is graph), key=lambda v: v.name)
