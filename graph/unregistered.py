"""Ops of unregistered types, kept unchanged so that their graph can be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..protos.attr_codec import decode_attr
from ..protos.config import config
from ..protos.dtypes import DType, as_dtype
from ..protos.messages import NodeDef, OpDef as OpDefProto
from ..runtime.kernel_spec import Memory
from ..shape_inference.context import ShapeContext
from ..shape_inference.tensor_shape import TensorShape
from ..shape_inference.traits import Traits
from . import registry
from .node_def import full_input, read_attrs, stated_shapes
from .signature import Signature

if TYPE_CHECKING:
    _Uses = dict[int, DType | None]

# Attrs that usually hold the dtype of the outputs, the most reliable first.
_DTYPE_ATTRS = ("dtype", "out_type", "DstT", "Tout", "output_types", "T")


class UnregisteredOp:
    """The definition of one node of an unknown op type, completed from its use.

    It has the interface of an OpDef, but no kernel: such ops can be shown, checked, edited, saved.
    """

    registered = False
    traits = Traits(stateful=True)
    pure = False
    from_shapes = False
    value_function = None
    flops_function = None
    workspace_rule = None
    kernel_factory: Any = None
    kernel_memory = Memory.UNKNOWN
    lowering = None
    site = None
    signature = Signature((), (), {})

    def __init__(self, node: NodeDef, outputs: list[DType]) -> None:
        self.name = node.op
        self.template = node
        self._outputs = outputs
        self._inputs = sum(not text.startswith("^") for text in node.input)

    def shape_function(self, c: ShapeContext) -> list[TensorShape]:
        """The shapes that the file states, else unknown ones."""
        stated: list[TensorShape] = []
        if "_output_shapes" in self.template.attr:
            stated = stated_shapes(self.template.attr["_output_shapes"])
        missing = len(self._outputs) - len(stated)
        return [*stated, *[TensorShape(None)] * missing][: len(self._outputs)]

    def output_dtypes(self, attrs: Mapping[str, Any]) -> list[DType]:
        """Dtypes of the outputs, as far as known; `variant` otherwise."""
        return self._outputs

    def input_positions(self, attrs: Mapping[str, Any]) -> Mapping[str, int | range]:
        """All inputs, under one name."""
        return {"inputs": range(self._inputs)}

    def to_proto(self) -> OpDefProto:
        """OpDef message with only the name."""
        return OpDefProto(name=self.name, is_stateful=True)


def unregistered_ops(
    nodes: Sequence[NodeDef], op_types: Iterable[str]
) -> dict[str, UnregisteredOp]:
    """A definition for each node of an op type that is not registered, by the node's name.

    Args:
        nodes: the nodes.
        op_types: the op types of all of them.
    """
    unknown = {op_type for op_type in op_types if registry.find(op_type) is None}
    if not unknown:
        return {}
    uses = read_outputs(nodes)
    return {node.name: unregistered_op(node, uses) for node in nodes if node.op in unknown}


def unregistered_op(node: NodeDef, uses: Mapping[str, _Uses]) -> UnregisteredOp:
    """A definition for a node that has none, or that is malformed.

    Args:
        node: the node.
        uses: the result of `read_outputs` for its graph.

    Raises:
        ValueError: it has more outputs than `td.config.max_op_tensors`.
    """
    return UnregisteredOp(node, _outputs(node, uses.get(node.name, {})))


def read_outputs(nodes: Iterable[NodeDef]) -> dict[str, _Uses]:
    """The outputs that other nodes read, by the name of the node, with the dtypes they expect."""
    uses: dict[str, _Uses] = {}
    for node in nodes:
        for text, dtype in zip(_data_inputs(node), _input_dtypes(node), strict=False):
            name, _, number = full_input(text).rpartition(":")
            known = uses.setdefault(name, {})
            known[int(number)] = known.get(int(number)) or dtype
    return uses


def _data_inputs(node: NodeDef) -> list[str]:
    return [text for text in node.input if not text.startswith("^")]


def _input_dtypes(node: NodeDef) -> list[DType] | list[None]:
    definition = registry.find(node.op)
    if definition is not None:
        try:
            return definition.input_dtypes(read_attrs(definition, node.attr, shared=True))
        except ValueError:
            pass  # the import itself reports what is wrong with this node
    return [None] * len(node.input)


def _outputs(node: NodeDef, used: _Uses) -> list[DType]:
    number = max(used, default=0) + 1
    listed: list[DType] = []
    other = as_dtype("variant")
    try:
        if "_output_shapes" in node.attr:
            number = max(number, len(node.attr["_output_shapes"].list.shape))
        stated = next((name for name in _DTYPE_ATTRS if name in node.attr), None)
        value = None if stated is None else decode_attr(node.attr[stated], TensorShape)
    except (TypeError, ValueError):
        value = None
    if isinstance(value, list):
        listed = [item for item in value if isinstance(item, DType)]
    elif isinstance(value, DType):
        other = value
    number = max(number, len(listed))
    if number > config.max_op_tensors:
        raise ValueError(
            f"{number} outputs are more than td.config.max_op_tensors = {config.max_op_tensors}\n"
            f"  in the node {node.name!r} ({node.op})"
        )
    listed += [other] * (number - len(listed))
    return [used.get(i) or listed[i] for i in range(number)]
