"""Dtypes of TensorFlow.js, which has fewer of them than TensorFlow, and checks none.

What it runs may take an int32 where floats are due, or have nodes that state no dtype at all. Here
each node gets the dtypes that follow from its inputs, and a Cast before an input of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...graph.graph_protocols import RegisteredOpType
from ...graph.node_def import full_input, source_name
from ...graph.registry import find
from ...graph.signature import ArgSpec
from ...protos.dtypes import DType, as_dtype
from ...protos.messages import GraphDef, NodeDef
from .node_lists import NodeList, inputs_of, lists_of

_NARROW = ("bool", "uint8", "int8", "uint16", "int16", "int32", "int64")
_ORDER = (*_NARROW, "float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def with_dtypes(graph_def: GraphDef) -> None:
    """Completes the dtypes of the nodes of a graph and its functions, and casts between them."""
    for nodes in lists_of(graph_def):
        _Mending(nodes).run()


def wider(dtypes: Iterable[DType]) -> DType | None:
    """The dtype that can hold all of these numbers; None where one is no number, or none is."""
    names = [dtype.base_dtype.name for dtype in dtypes]
    if not names or not all(name in _ORDER for name in names):
        return None
    return as_dtype(max(names, key=_ORDER.index))


def _is_number(dtype: DType) -> bool:
    return dtype.base_dtype.name in _ORDER


class _Mending:
    """The nodes of one list, in the order in which tensors come to be."""

    def __init__(self, nodes: NodeList) -> None:
        self._list = nodes
        self._by_name = {node.name: node for node in nodes.nodes}
        self._types: dict[str, DType] = {}
        self._casts: dict[tuple[str, DType], str] = {}
        self._made: list[NodeDef] = []

    def run(self) -> None:
        function = self._list.function
        if function is not None:
            for arg in function.signature.input_arg:
                dtype = _dtype(arg.type)
                if dtype is not None:
                    self._types[arg.name] = dtype
        for node in self._in_order():
            definition = find(node.op)
            if definition is not None:
                self._mend(node, definition)
            self._made.append(node)
        if function is not None:
            for arg in function.signature.output_arg:
                dtype = _dtype(arg.type)
                if dtype is not None and arg.name in function.ret:
                    function.ret[arg.name] = self._as(function.ret[arg.name], dtype, arg.name)
        self._list.nodes = self._made

    def _in_order(self) -> list[NodeDef]:
        """The nodes, each behind those that it reads, except around loops."""
        order: list[NodeDef] = []
        seen: set[str] = set()
        for first in self._list.nodes:
            stack = [(first, False)]
            while stack:
                node, done = stack.pop()
                if done:
                    order.append(node)
                elif node.name not in seen:
                    seen.add(node.name)
                    stack.append((node, True))
                    names = (source_name(text) for text in reversed(node.input))
                    read = (self._by_name[name] for name in names if name in self._by_name)
                    stack += [(other, False) for other in read if other.name not in seen]
        return order

    def _key(self, text: str) -> str:
        return full_input(text) if self._list.function is None else text

    def _mend(self, node: NodeDef, definition: RegisteredOpType) -> None:
        """Completes the attrs of a node, and notes the dtypes of its results."""
        signature = definition.signature
        data, waits = inputs_of(node)
        given = [self._types.get(self._key(text)) for text in data]
        arguments = self._arguments(node, signature.inputs, given)
        if arguments is None:
            return
        for name, spec in signature.attrs.items():
            if spec.kind != "type":
                continue
            read = [
                dtype
                for argument, dtype in zip(arguments, given, strict=True)
                if argument.type_attr == name and dtype is not None
            ]
            widest = wider(read) or (read[0].base_dtype if read else None)
            stated = node.attr[name].type if name in node.attr else 0
            if widest is None:
                continue
            is_legal = spec.allowed is None or widest in spec.allowed
            before = _dtype(stated)
            is_lost = (
                before is not None
                and _is_number(before)
                and widest.is_floating
                and not before.is_floating
            )
            if not stated or (is_lost and is_legal):
                node.attr[name].type = widest.as_datatype_enum
        mended = []
        for place, (argument, text) in enumerate(zip(arguments, data, strict=True)):
            wanted = self._wanted(node, argument, data, place)
            mended.append(text if wanted is None else self._as(text, wanted, node.name))
        del node.input[:]
        node.input.extend([*mended, *waits])
        self._note(node, signature.outputs)

    def _arguments(
        self, node: NodeDef, specs: Sequence[ArgSpec], given: Sequence[DType | None]
    ) -> list[ArgSpec] | None:
        """The argument that each input is of; None where they do not fit, as importing reports."""
        lists = [spec for spec in specs if spec.is_list]
        free = len(given) - (len(specs) - len(lists))
        found: list[ArgSpec] = []
        for spec in specs:
            number = 1
            if spec.is_list:
                number_attr, list_attr = spec.number_attr or "", spec.type_list_attr or ""
                attr = number_attr or list_attr
                if attr not in node.attr and len(lists) == 1 and free >= 0:
                    if number_attr:
                        node.attr[attr].i = free
                    elif all(dtype is not None for dtype in given):
                        start = len(found)
                        numbers = [
                            dtype.base_dtype.as_datatype_enum
                            for dtype in given[start : start + free]
                            if dtype is not None
                        ]
                        node.attr[attr].list.type.extend(numbers)
                value = node.attr.get(attr)
                if value is None:
                    return None
                number = value.i if number_attr else len(value.list.type)
            if number < 0 or len(found) + number > len(given):
                return None
            found += [spec] * number
        return found if len(found) == len(given) else None

    def _wanted(
        self, node: NodeDef, argument: ArgSpec, data: Sequence[str], place: int
    ) -> DType | None:
        """The dtype that an input must have; None where that is not known."""
        if argument.is_ref:
            return None
        if argument.dtype is not None:
            return argument.dtype
        if argument.type_list_attr is not None:
            # All inputs of a list are behind each other, and there is but one such list.
            types = node.attr[argument.type_list_attr].list.type
            start = len(data) - len(types)
            number = types[place - start] if 0 <= place - start < len(types) else 0
        else:
            number = node.attr[str(argument.type_attr)].type
        return _dtype(number)

    def _as(self, text: str, wanted: DType, name: str) -> str:
        """An input as a tensor of a dtype: itself, or a Cast of it."""
        dtype = self._types.get(self._key(text))
        if dtype is None or dtype.base_dtype is wanted.base_dtype:
            return text
        if not (_is_number(dtype) and _is_number(wanted)):
            return text
        key = self._key(text), wanted
        if key not in self._casts:
            cast = NodeDef(name=self._list.free(f"{name}/Cast"), op="Cast", input=[text])
            cast.attr["SrcT"].type = dtype.base_dtype.as_datatype_enum
            cast.attr["DstT"].type = wanted.as_datatype_enum
            self._made.append(cast)
            self._casts[key] = self._list.result_of(cast)
            self._types[self._key(self._casts[key])] = wanted
        return self._casts[key]

    def _note(self, node: NodeDef, outputs: Sequence[ArgSpec]) -> None:
        """Notes the dtypes of the results of a node."""
        position = 0
        for spec in outputs:
            if spec.type_list_attr is not None:
                numbers = list(node.attr[spec.type_list_attr].list.type)
            else:
                attr = str(spec.type_attr)
                number = 0
                if spec.dtype is not None:
                    number = spec.dtype.as_datatype_enum
                elif attr in node.attr:
                    number = node.attr[attr].type
                else:
                    number = _default(node, attr)
                count = 1
                if spec.number_attr is not None:
                    count = max(0, min(node.attr[spec.number_attr].i, len(node.input) + 10_000))
                numbers = [number] * count
            for place, number in enumerate(numbers):
                dtype = _dtype(number)
                if dtype is not None:
                    in_function = f"{node.name}:{spec.name}:{place}"
                    in_graph = f"{node.name}:{position + place}"
                    key = in_graph if self._list.function is None else in_function
                    self._types[key] = dtype
            position += len(numbers)


def _default(node: NodeDef, attr: str) -> int:
    definition = find(node.op)
    spec = None if definition is None else definition.signature.attrs.get(attr)
    default = None if spec is None else spec.default
    return default.as_datatype_enum if isinstance(default, DType) else 0


def _dtype(number: int) -> DType | None:
    try:
        return as_dtype(number) if number else None
    except TypeError:
        return None
