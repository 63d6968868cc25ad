"""Inlining of functions of a GraphDef's library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...formats.progress import Progress
from ...protos.config import config
from ...protos.messages import AttrValue, FunctionDef, GraphDef, NodeDef
from .. import registry
from ..node_def import full_input, read_attrs, source_name
from ..referred_functions import named_functions, referred_functions
from .function_calls import CALL_TYPES, Call, type_name
from .node_order import sorted_by_need
from .node_texts import free_name

public = {"td.graph_util": "inline_functions"}


_MOST_BYTES = 2**31 - 1
_NODES_A_REPORT = 1_000


class _Size(NamedTuple):
    """Size of an inlined function: number of nodes and depth of calls."""

    nodes: int
    depth: int


def inline_functions(graph_def: GraphDef, progress: Progress | None = None) -> GraphDef:
    """Inlines calls of functions in the library of `graph_def`.

    The nodes of a body are named after the call, `call/node`. The call is replaced by
    an Identity, IdentityN or NoOp of the same name, so that all names can still be fetched.
    A call is left unchanged if the output that it refers to is unknown, since the node is
    of an unregistered type; functions that other attrs refer to stay in the library.

    Args:
        graph_def: the message; it is not changed.
        progress: called with the number of nodes that there will be, before any is made, and then
            now and then; a `td.LoadBudget` sets limits.

    Returns:
        A new message, or `graph_def` itself if it calls no function.

    Raises:
        ValueError: the library is malformed, functions call each other in a cycle, a call does
            not fit its function, or the result has more nodes than `td.config.max_graph_nodes`,
            more nesting than `td.config.max_nesting`, or more bytes than a message can have.

    Example:
        >>> from google.protobuf import text_format
        >>> graph_def = text_format.Parse(
        ...     '''
        ...     node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
        ...     node { name: "twice" op: "Double" input: "x" }
        ...     library { function {
        ...         signature { name: "Double"
        ...             input_arg { name: "a" type: DT_FLOAT }
        ...             output_arg { name: "b" type: DT_FLOAT } }
        ...         node_def { name: "sum" op: "AddV2" input: "a" input: "a"
        ...             attr { key: "T" value { type: DT_FLOAT } } }
        ...         ret { key: "b" value: "sum:z:0" } } }
        ...     ''',
        ...     td.GraphDef(),
        ... )
        >>> [(node.name, node.op) for node in td.graph_util.inline_functions(graph_def).node]
        [('x', 'Placeholder'), ('twice/sum', 'AddV2'), ('twice', 'Identity')]
    """
    functions = _checked_library(graph_def)
    calls: list[Call] = []
    if functions or any(node.op in CALL_TYPES for node in graph_def.node):
        calls = [call for node in graph_def.node if (call := Call.of(node, functions)) is not None]
    if progress is not None and functions:
        progress("nodes", 0, _inlined_size(graph_def, functions, calls))
    if not calls:
        return graph_def
    _check_sizes(functions, len(graph_def.node), calls)
    result = GraphDef(versions=graph_def.versions)
    taken = {node.name for node in graph_def.node}
    pending = list(reversed(graph_def.node))
    size = steps = 0
    while pending:
        node = pending.pop()
        steps += 1
        if progress is not None and not steps % _NODES_A_REPORT:
            progress("nodes", len(result.node), len(result.node) + len(pending))
        size += node.ByteSize()
        if size > _MOST_BYTES:
            raise ValueError("the graph takes more than 2 GiB with its functions inlined")
        call = Call.of(node, functions)
        expansion = None if call is None else Expansion.of(call, functions, taken)
        if expansion is None:
            result.node.add().CopyFrom(node)
        else:
            pending.append(expansion.result())
            pending.extend(reversed(expansion.body()))
    used = referred_functions(result.node, functions)
    result.library.function.extend([functions[name] for name in functions if name in used])
    return result


def _checked_library(graph_def: GraphDef) -> dict[str, FunctionDef]:
    """The functions of the library by name."""
    functions: dict[str, FunctionDef] = {}
    for function in graph_def.library.function:
        name = function.signature.name
        if functions.setdefault(name, function) != function:
            raise ValueError(f"two functions are named {name!r}")
        attrs = [attr.name for attr in function.signature.attr]
        if len(set(attrs)) < len(attrs):
            twice = next(attr for attr in attrs if attrs.count(attr) > 1)
            raise ValueError(f"the function {name!r} has two attrs named {twice!r}")
        if registry.find(name) is not None:
            raise ValueError(f"a function is named {name!r}, which is the name of an op type")
    gradients: dict[str, list[str]] = {name: [] for name in functions}
    for gradient in graph_def.library.gradient:
        for name in (gradient.function_name, gradient.gradient_func):
            if name not in functions:
                raise ValueError(f"a gradient names the function {name!r}, which is not there")
        gradients[gradient.function_name].append(gradient.gradient_func)
    sorted_by_need(gradients, "gradients")
    return functions


def _check_sizes(functions: dict[str, FunctionDef], nodes: int, calls: Iterable[Call]) -> None:
    """Checks that inlining comes to an end, and to one that is not too large."""
    sizes = _sizes(functions)
    total = nodes
    for call in calls:
        size = sizes[call.function.signature.name]
        total += size.nodes - 1  # instead of the call
        if size.depth > config.max_nesting:
            raise ValueError(
                f"{call}, whose calls are nested {size.depth} deep, more than "
                f"td.config.max_nesting = {config.max_nesting}"
            )
    if total > config.max_graph_nodes:
        raise ValueError(
            f"the graph has {total} nodes with its functions inlined, more than "
            f"td.config.max_graph_nodes = {config.max_graph_nodes}"
        )


def _sizes(functions: Mapping[str, FunctionDef]) -> dict[str, _Size]:
    """Size of each function when inlined.

    Raises:
        ValueError: functions call each other in a cycle.
    """
    called = {
        name: [
            call.function.signature.name
            for node in function.node_def
            if (call := Call.of(node, functions)) is not None
        ]
        for name, function in functions.items()
    }
    sizes: dict[str, _Size] = {}
    for name in sorted_by_need(called, "functions"):
        inner = [sizes[other] for other in called[name]]
        sizes[name] = _Size(
            len(functions[name].node_def) + 1 + sum(size.nodes - 1 for size in inner),
            1 + max((size.depth for size in inner), default=0),
        )
    return sizes


def _inlined_size(
    graph_def: GraphDef, functions: Mapping[str, FunctionDef], calls: Iterable[Call]
) -> int:
    """Number of nodes after inlining, including functions that ops such as `While` run."""
    total = len(graph_def.node)
    try:
        sizes = _sizes(functions)
    except ValueError:  # which is reported where one of them is called
        return total
    total += sum(sizes[call.function.signature.name].nodes - 1 for call in calls)
    nodes = list(graph_def.node)
    for name in referred_functions(graph_def.node, functions):
        nodes += functions[name].node_def
    bodies = {
        name
        for node in nodes
        if Call.of(node, functions) is None
        for name in named_functions(node.attr.values())
        if name in functions
    }
    return total + sum(sizes[name].nodes for name in bodies)


class Expansion:
    """One call, expanded in its graph."""

    def __init__(
        self, call: Call, names: dict[str, str], positions: dict[str, dict[str, int]]
    ) -> None:
        self._call = call
        self._names = names
        self._positions = positions
        self._arguments = call.arguments()
        self._types = dict(zip(self._arguments, call.input_types(), strict=True))
        self._waits = [text for text in call.node.input if text.startswith("^")]

    @classmethod
    def of(
        cls,
        call: Call,
        functions: Mapping[str, FunctionDef],
        taken: set[str],
        kept: Iterable[str] = (),
    ) -> Expansion | None:
        """Expansion of `call`, with names that are not `taken`; None if it is impossible.

        The nodes whose names are `kept` do not get new ones.
        """
        if not call.is_plain():
            return None
        positions = {}
        for node in call.function.node_def:
            found = call.output_positions(node, functions)
            if found is None:
                return None
            positions[node.name] = found
        names = dict(zip(kept, kept, strict=True)) or {
            name: free_name(f"{call.node.name}/{name}", taken) for name in positions
        }
        taken.update(names.values())
        return cls(call, names, positions)

    @classmethod
    def in_place(cls, call: Call, functions: Mapping[str, FunctionDef]) -> Expansion | None:
        """Expansion of `call` by itself, with all names unchanged."""
        names = [node.name for node in call.function.node_def]
        return cls.of(call, functions, set(), names)

    def body(self) -> list[NodeDef]:
        """The nodes of the function."""
        copies = []
        for node in self._call.function.node_def:
            copy = NodeDef()
            copy.CopyFrom(node)
            copy.name = self._names[node.name]
            copy.device = node.device or self._call.node.device
            inputs = [self._translated(text) for text in node.input]
            if not any(source_name(text) in self._names for text in node.input):
                inputs += self._waits  # the others wait by waiting for these
            del copy.input[:]
            copy.input.extend(inputs)
            self._call.fill_in(copy, self._names)
            self._check_reads(node, copy)
            copies.append(copy)
        return copies

    def _check_reads(self, node: NodeDef, copy: NodeDef) -> None:
        """Checks the dtypes of arguments that a node reads; `copy` has its attrs filled in."""
        definition = registry.find(node.op)
        if definition is None or self._arguments.keys().isdisjoint(map(source_name, node.input)):
            return
        try:
            dtypes = definition.input_dtypes(read_attrs(definition, copy.attr, _kept, shared=True))
        except ValueError:
            return  # the importer reports invalid attrs
        for text, dtype in zip(node.input, dtypes, strict=False):
            number = self._types.get(source_name(text), dtype.as_datatype_enum)
            if number != dtype.as_datatype_enum:
                raise ValueError(
                    f"{self._call}, in which {node.name!r} reads the argument {text!r}, a "
                    f"{type_name(number)}, as {dtype.name}"
                )

    def result(self) -> NodeDef:
        """Node with the name of the call that outputs the function's results."""
        call = self._call
        dtypes = call.output_types()
        node = NodeDef(name=call.node.name, device=call.node.device)
        node.op = "NoOp" if not dtypes else "Identity" if len(dtypes) == 1 else "IdentityN"
        if len(dtypes) == 1:
            node.attr["T"].type = dtypes[0]
        elif dtypes:
            node.attr["T"].list.type.extend(dtypes)
        for name in ("_class", "_output_shapes"):
            if name in call.node.attr:
                node.attr[name].CopyFrom(call.node.attr[name])
        for arg in call.function.signature.output_arg:
            if arg.name not in call.function.ret:
                raise ValueError(f"{call}, which does not say what its result {arg.name!r} is")
            node.input.append(self._translated(call.function.ret[arg.name]))
        ends = sorted(call.function.control_ret.values())
        controls = [self._translated(f"^{name}") for name in ends]
        node.input.extend(dict.fromkeys([*controls, *self._waits]))
        return node

    def _translated(self, text: str) -> str:
        """Translates an input inside the function to one in the enclosing graph."""
        name = source_name(text)
        is_control = text.startswith("^")
        output, _, index = text.removeprefix("^")[len(name) + 1 :].partition(":")
        if name in self._arguments and output in ("", "0") and not index:
            argument = self._arguments[name]
            return f"^{full_input(argument).rpartition(':')[0]}" if is_control else argument
        if name in self._names:
            if is_control:
                return f"^{self._names[name]}"
            start = self._positions[name].get(output)
            if start is not None and re.fullmatch(r"[0-9]{0,8}", index):
                return f"{self._names[name]}:{start + int(index or 0)}"
        raise ValueError(f"{self._call}, in which {text!r} names nothing")


def _kept(definition: Any, name: str, value: AttrValue) -> AttrValue:
    """Keeps an attr that the definition does not have, for the importer to decide."""
    return value
