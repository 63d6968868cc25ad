"""Ops that take a variable, in files that pass them its value: they fail only where they run.

Freezing by TensorFlow 1.x left such ops behind: it made the variable a constant, and kept the op
that updates it in a branch for training. TensorFlow refuses these files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ..protos.dtypes import DType
from ..protos.messages import NodeDef
from ..runtime import errors
from ..shape_inference.context import KernelContext, ShapeContext
from ..shape_inference.protocols import Kernel
from ..shape_inference.tensor_shape import TensorShape
from .graph_protocols import RegisteredOpType
from .node import Tensor
from .unregistered import UnregisteredOp


class OpWithoutVariable(UnregisteredOp):
    """The definition of one node that takes a variable and is passed a value.

    Args:
        node: the node.
        outputs: the dtypes of its results, as values.
        returned: for each result, whether it is the variable itself.
        reason: the error of a run.
    """

    registered = True

    def __init__(
        self, node: NodeDef, outputs: list[DType], returned: Sequence[bool], reason: str
    ) -> None:
        super().__init__(node, outputs)
        self._returned = returned
        self._reason = reason
        self.kernel_factory = self._kernel

    def shape_function(self, c: ShapeContext) -> list[TensorShape]:
        """The shape of the variable, where that is returned."""
        inputs = c.shapes("inputs")
        return [inputs[0] if returned else TensorShape(None) for returned in self._returned]

    def _kernel(self, c: KernelContext) -> Kernel:
        def refuse(*_: Any) -> NoReturn:
            raise errors.FailedPreconditionError(None, None, self._reason)

        return refuse


def op_without_variable(
    node: NodeDef,
    definition: RegisteredOpType,
    inputs: Sequence[Tensor],
    attrs: Mapping[str, Any],
) -> OpWithoutVariable | None:
    """A definition for a node that is passed values for variables; None if it is not.

    Args:
        node: the node.
        definition: that of its op type.
        inputs: its inputs.
        attrs: its attrs.
    """
    dtypes = definition.input_dtypes(attrs)
    wrong = [
        (i, dtype, tensor)
        for i, (dtype, tensor) in enumerate(zip(dtypes, inputs, strict=False))
        if _lacks_variable(dtype, tensor.dtype)
    ]
    if not wrong or len(inputs) != len(dtypes):
        return None
    [(number, dtype, tensor), *_] = wrong
    reason = (
        f"input {number} of {node.op} must be a variable ({dtype.name}), got the "
        f"{tensor.dtype.name} {tensor.name!r}: where the variable was frozen to a constant, it "
        "cannot be changed"
    )
    outputs = definition.output_dtypes(attrs)
    base = [dtype.base_dtype for dtype in outputs]
    return OpWithoutVariable(node, base, [dtype.is_ref_dtype for dtype in outputs], reason)


def _lacks_variable(wanted: DType, dtype: DType) -> bool:
    if dtype.is_ref_dtype or dtype.name == "resource":
        return False
    return wanted.name == "resource" or (wanted.is_ref_dtype and wanted.base_dtype is dtype)
