"""Slots: the variables that an optimizer keeps beside those that it trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.default_graph import get_default_graph
from ...ops.array.fills import zeros_like
from ...ops.initializers.plain_initializers import Zeros
from ...ops.variable_scopes.get_variable import get_variable
from ...ops.variable_scopes.variable_scope import variable_scope, whole_variables
from ...ops.variables.resource_variable import ResourceVariable
from ...ops.variables.save_slice_info import follow_slice
from ...ops.variables.variable import Variable

if TYPE_CHECKING:
    from ...graph.graph import Graph

    Key = tuple[Graph, str]


def _key(variable: Any) -> Key:
    return variable.graph, variable.op.name


def is_resource(variable: Any) -> bool:
    """Whether a variable is behind a handle."""
    return isinstance(variable, ResourceVariable)


class Slots:
    """The slots of one optimizer, and the variables that belong to none of the trained ones.

    A slot of the variable `w` of the optimizer `Adam` is called `w/Adam`, the next `w/Adam_1`, as
    in TensorFlow, so that checkpoints fit.
    """

    def __init__(self) -> None:
        self._slots: dict[str, dict[Key, Variable]] = {}
        self._others: dict[tuple[str, Graph], Variable] = {}

    def names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self._slots)

    def get(self, variable: Any, name: str) -> Variable | None:
        """A slot of a variable, if it was made."""
        return self._slots.get(name, {}).get(_key(variable))

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
        slots = self._slots.setdefault(name, {})
        if (key := _key(variable)) not in slots:
            known = (initial.shape if shape is None else shape).is_fully_defined()
            scope = f"{variable.op.name}/{op_name}"
            beside = variable.graph.colocate_with(variable)
            with variable_scope(None, scope), whole_variables(), beside:
                slots[key] = get_variable(
                    "",
                    shape=shape,
                    dtype=dtype,
                    initializer=initial,
                    trainable=False,
                    validate_shape=known,
                    use_resource=is_resource(variable),
                )
            follow_slice(slots[key], variable)
        return slots[key]

    def zeros(self, variable: Any, name: str, op_name: str) -> Variable:
        """A slot of zeros, in the shape of the variable."""
        dtype = variable.dtype.base_dtype
        if variable.shape.is_fully_defined():
            return self.get_or_make(variable, Zeros(), name, op_name, variable.shape, dtype)
        initial = zeros_like(variable.initialized_value())
        return self.get_or_make(variable, initial, name, op_name, None, dtype)

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
        return self._others.get((name, graph or get_default_graph()))

    def variables(self) -> list[Variable]:
        """All of them that are in the default graph, by name."""
        graph = get_default_graph()
        found = [*self._others.values()]
        found += [slot for slots in self._slots.values() for slot in slots.values()]
        return sorted((v for v in found if v.graph is graph), key=lambda v: v.name)
