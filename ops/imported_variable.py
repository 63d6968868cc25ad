"""Variables that came with a meta graph: those of TensorFlow 2 are behind resource handles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.collections import GraphKeys, register_proto_function
from ..graph.default_graph import get_default_graph
from ..protos.messages import VariableDef
from .resource_variables import (
    ASSIGN_ADD_VARIABLE_OP,
    ASSIGN_SUB_VARIABLE_OP,
    ASSIGN_VARIABLE_OP,
    READ_VARIABLE_OP,
)
from .variable import Variable

if TYPE_CHECKING:
    from ..graph.node import Tensor
    from ..graph.op_def import OpDef
    from ..protos.dtypes import DType
    from ..shape_inference.tensor_shape import TensorShape

_IMPORTED = ("__imported_variables",)
_COLLECTIONS = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
)


class ResourceVariable(Variable):
    """A variable behind a resource handle, as TensorFlow 2 makes them.

    Such variables are not made here; they come with meta graphs.
    """

    __slots__ = ()

    @property
    def handle(self) -> Tensor:
        """The handle."""
        return self._reference

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._reference.op.attrs["dtype"]  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """The shape that every value fits."""
        return self._reference.op.attrs["shape"]  # type: ignore[no-any-return]

    def get_shape(self) -> TensorShape:
        """The shape that every value fits: the same as `shape`."""
        return self.shape

    def read_value(self) -> Tensor:
        """A tensor that holds the value, read where this is called."""
        graph = self.graph
        with graph.as_default(), graph.name_scope(None):
            return READ_VARIABLE_OP(  # type: ignore[no-any-return]
                self._reference, dtype=self.dtype, name=f"{self.op.name}/Read/ReadVariableOp"
            )

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """As `Variable.assign`."""
        return self._changed(ASSIGN_VARIABLE_OP, value, name, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """As `Variable.assign_add`."""
        return self._changed(ASSIGN_ADD_VARIABLE_OP, delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """As `Variable.assign_sub`."""
        return self._changed(ASSIGN_SUB_VARIABLE_OP, delta, name, read_value)

    def _changed(self, definition: OpDef, value: Any, name: str | None, read_value: bool) -> Any:
        op = definition(self._reference, value, dtype=self.dtype, name=name)
        if not read_value:
            return op
        with self.graph.control_dependencies([op]):
            return self.read_value()

    def eval(self, session: Any = None) -> Any:
        """The value in `session`, or in the default session, as an ndarray or NumPy scalar."""
        return self._snapshot.eval(session=session)

    def _as_graph_element(self) -> Tensor:
        return self._snapshot


def imported_variable(variable_def: VariableDef, import_scope: str) -> Variable:
    """The variable of the default graph that a VariableDef names: one object, however often."""
    known = get_default_graph().get_collection_ref(_IMPORTED)
    kind = ResourceVariable if variable_def.is_resource else Variable
    variable = kind(variable_def=variable_def, import_scope=import_scope)
    for other in known:
        if other.op is variable.op:
            return other  # type: ignore[no-any-return]
    known.append(variable)
    return variable


def _to_proto(variable: Variable) -> VariableDef:
    return variable.to_proto()


for _name in _COLLECTIONS:
    register_proto_function(_name, VariableDef, _to_proto, imported_variable)
