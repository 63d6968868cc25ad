"""`_output_shapes`: the output shapes that a node states, as TensorFlow reads them.

TensorFlow refuses a file that states another number of shapes than a node has outputs, or a shape
that contradicts its own rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..protos.messages import NodeDef
from ..shape_inference.tensor_shape import TensorShape
from . import registry
from .graph_protocols import OpType
from .signature import ArgSpec

ATTR = "_output_shapes"
_UNKNOWN = TensorShape(None)


def state_shapes(node: NodeDef, shapes: Sequence[TensorShape]) -> bool:
    """Writes the output shapes of a node as an attr.

    Handles are scalars here, and often of shape (2,) in TensorFlow: their shapes are not stated,
    nor those of outputs whose shape TensorFlow gets wrong.

    Args:
        node: the node.
        shapes: those of the outputs of the op that it became, which may lack the last ones, as an
            op that replaces a Merge lacks its second.

    Returns:
        True if they are stated; False if the node has fewer outputs.
    """
    definition = registry.find(node.op)
    stated = list(shapes)
    if definition is not None:
        number = sum(_number(node, spec) for spec in definition.signature.outputs)
        if number < len(stated):
            return False
        stated += [_UNKNOWN] * (number - len(stated))
        unsure = unsure_outputs(definition)
        stated = [_UNKNOWN if i in unsure else shape for i, shape in enumerate(stated)]
    value = node.attr[ATTR]
    value.list.ClearField("shape")
    value.list.shape.extend([shape.as_proto() for shape in stated])
    return True


def unsure_outputs(definition: OpType) -> set[int]:
    """Outputs whose stated shapes are meaningless."""
    outputs = definition.signature.outputs
    return {i for i, spec in enumerate(outputs) if _is_handle(spec)} | {
        *definition.traits.misstated
    }


def _number(node: NodeDef, spec: ArgSpec) -> int:
    """The number of tensors of an output, as far as the node states its attrs."""
    if spec.number_attr is not None:
        return node.attr[spec.number_attr].i if spec.number_attr in node.attr else 0
    if spec.type_list_attr is not None:
        types = spec.type_list_attr
        return len(node.attr[types].list.type) if types in node.attr else 0
    return 1


def _is_handle(spec: ArgSpec) -> bool:
    """Returns whether an output is a resource, or a reference to the name of one."""
    return spec.dtype is not None and (
        spec.dtype.name == "resource" or (spec.is_ref and spec.dtype.name == "string")
    )
