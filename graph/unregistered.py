"""Ops of types that are not registered: kept as they are, so that their graph can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..protos.attr_codec import decode_attr
from ..protos.dtypes import DType, as_dtype
from ..protos.messages import OpDef as OpDefProto
from ..shape_inference.tensor_shape import TensorShape
from . import registry
from .node_def import full_input, read_attrs, stated_shapes
from .signature import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..protos.messages import NodeDef
    from ..shape_inference.context import ShapeContext

# Attrs that usually hold the dtype of the outputs, the most telling first.
_DTYPE_ATTRS = ("dtype", "out_type", "DstT", "Tout", "output_types", "T")


class UnregisteredOp:
    """The definition of one node of an unknown op type; what is not known is taken from its use.

    It has the face of an OpDef, but no kernel: such ops can be shown, checked, edited and saved.
    """

    stateful = True
    pure = False
    elementwise = False
    symbolic = False
    aliases = None
    value_function = None
    kernel_factory = None
    site = None
    signature = Signature((), (), {})

    def __init__(self, node: NodeDef, outputs: list[DType]) -> None:
        self.name = node.op
        self.template = node
        self._outputs = outputs
        self._inputs = sum(not text.startswith("^") for text in node.input)

    def shape_function(self, c: ShapeContext) -> list[TensorShape]:
        """The shapes that the file states, else unknown ones."""
        del c
        stated: list[TensorShape] = []
        if "_output_shapes" in self.template.attr:
            stated = stated_shapes(self.template.attr["_output_shapes"])
        missing = len(self._outputs) - len(stated)
        return [*stated, *[TensorShape(None)] * missing][: len(self._outputs)]

    def output_dtypes(self, attrs: Mapping[str, Any]) -> list[DType]:
        """The dtypes of the outputs, as far as the graph tells; `variant` where it does not."""
        del attrs
        return self._outputs

    def input_positions(self, attrs: Mapping[str, Any]) -> Mapping[str, int | range]:
        """All inputs, under one name."""
        del attrs
        return {"inputs": range(self._inputs)}

    def to_proto(self) -> OpDefProto:
        """An OpDef message of which only the name is known."""
        return OpDefProto(name=self.name, is_stateful=True)


def unregistered_ops(nodes: Iterable[NodeDef]) -> dict[str, UnregisteredOp]:
    """A definition for each node of an op type that is not registered, by the node's name."""
    nodes = list(nodes)
    return _described([node for node in nodes if registry.find(node.op) is None], nodes)


def malformed_op(node: NodeDef, nodes: Iterable[NodeDef]) -> UnregisteredOp:
    """A definition for a node, of any type, that is malformed; `nodes` are those of its graph."""
    return _described([node], nodes)[node.name]


def _described(some: list[NodeDef], nodes: Iterable[NodeDef]) -> dict[str, UnregisteredOp]:
    unknown = {node.name: node for node in some}
    if not unknown:
        return {}
    used: dict[str, dict[int, DType | None]] = {name: {} for name in unknown}
    for node in nodes:
        for text, dtype in zip(_data_inputs(node), _input_dtypes(node), strict=False):
            name, _, number = full_input(text).rpartition(":")
            if name in used:
                found = used[name].get(int(number))
                used[name][int(number)] = found or dtype
    return {
        name: UnregisteredOp(node, _outputs(node, used[name])) for name, node in unknown.items()
    }


def _data_inputs(node: NodeDef) -> list[str]:
    return [text for text in node.input if not text.startswith("^")]


def _input_dtypes(node: NodeDef) -> list[DType] | list[None]:
    definition = registry.find(node.op)
    if definition is not None:
        try:
            return definition.input_dtypes(read_attrs(definition, node.attr))
        except ValueError:
            pass  # the import itself will say what is wrong with this node
    return [None] * len(node.input)


def _outputs(node: NodeDef, used: dict[int, DType | None]) -> list[DType]:
    number = max(used, default=0) + 1
    guessed: list[Any] = []
    try:
        if "_output_shapes" in node.attr:
            number = max(number, len(node.attr["_output_shapes"].list.shape))
        for name in _DTYPE_ATTRS:
            if name in node.attr:
                value = decode_attr(node.attr[name], TensorShape)
                guessed = value if isinstance(value, list) else [value] * number
                break
    except (TypeError, ValueError):
        guessed = []
    guessed = [item for item in guessed if isinstance(item, DType)]
    unknown = as_dtype("variant")
    return [
        used.get(i) or (guessed[i] if i < len(guessed) else unknown)
        for i in range(max(number, len(guessed)))
    ]
