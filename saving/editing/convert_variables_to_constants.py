"""Freezing: a graph whose variables are constants, with the values that they have in a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...graph.node_def import full_input
from ...graph.references import Reference
from ...protos.dtypes import as_dtype
from ...protos.messages import AttrValue, GraphDef, NodeDef
from ...protos.tensor_util import make_tensor_proto
from .frozen_functions import RELAYS, FrozenFunctions, called, handed_on, relay_of
from .frozen_updates import (
    INITIALIZED,
    always_initialized,
    failing_update,
    frozen_updates,
    is_update,
    refused,
    without_nodes,
)
from .graph_editing import extract_sub_graph, free_name, nodes_by_name

public = {"td.graph_util": "convert_variables_to_constants"}

_REFERENCES = ("VariableV2", "Variable")
_HANDLE = "VarHandleOp"
_T = TypeVar("_T")


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: GraphDef,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> GraphDef:
    """The part of a graph that some nodes need, with constants instead of variables.

    Updates of these variables that other nodes only wait for are dropped. An update in a branch or
    loop whose value is read, as in one for training, fails if it runs.

    Args:
        sess: the session that holds the values.
        input_graph_def: the graph as a GraphDef, as of `graph.as_graph_def()`.
        output_node_names: the names of the nodes.
        variable_names_whitelist: the names of the variables to convert; by default all.
        variable_names_blacklist: the names of variables to leave as they are.

    Returns:
        A new GraphDef.

    Raises:
        ValueError: a node is not in the graph, or one that always runs changes a variable, and its
            value is needed.
        FailedPreconditionError: a variable has no value in the session.

    Example:
        >>> from tensordraft.saving.editing.convert_variables_to_constants import (
        ...     convert_variables_to_constants,
        ... )
        >>> with td.Graph().as_default() as graph, td.Session() as session:
        ...     v = td.Variable([1.0, 2.0], name="v")
        ...     y = td.multiply(v, 3.0, name="y")
        ...     session.run(v.initializer)
        ...     frozen = convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
        >>> [(node.name, node.op) for node in frozen.node]
        [('v', 'Const'), ('v/read', 'Identity'), ('y/y', 'Const'), ('y', 'Mul')]
    """
    part: GraphDef = extract_sub_graph(input_graph_def, output_node_names)
    kept = set(variable_names_blacklist or ())
    wanted = None if variable_names_whitelist is None else set(variable_names_whitelist)
    variables = [
        node
        for node in part.node
        if node.op in (*_REFERENCES, _HANDLE)
        and node.name not in kept
        and (wanted is None or node.name in wanted)
    ]
    values = sess.run([f"{node.name}:0" for node in variables])
    frozen = {
        node.name: value.read() if isinstance(value, Reference) else value
        for node, value in zip(variables, values, strict=True)
    }
    sources = {
        f"{node.name}:0": _Source(node.attr["dtype"], frozenset([node.name]), node.op != _HANDLE)
        for node in variables
    }
    while more := _handed_on(part, sources):
        sources |= more
    updates = frozen_updates(
        part, {name: source.variables for name, source in sources.items()}, output_node_names
    )
    if updates.dropped:
        part = extract_sub_graph(without_nodes(part, updates.dropped), output_node_names)
    dtypes = {name: source.dtype for name, source in sources.items()}
    result = GraphDef(versions=part.versions, library=part.library)
    taken = set(nodes_by_name(part))

    def read(node: NodeDef, number: int, dtype: AttrValue, conditional: bool) -> list[NodeDef]:
        return _reader(node, taken, number, dtype, conditional)

    functions = FrozenFunctions(result.library, read)
    for node in part.node:
        if node.name in frozen:
            result.node.append(_constant(node, frozen[node.name]))
        elif numbers := _frozen_inputs(node, dtypes):
            if any(True for _ in called(node)):
                result.node.append(functions.caller(node, numbers))
            elif node.op in RELAYS:
                result.node.append(relay_of(node, next(iter(numbers.values()))))
            else:
                number, dtype = next(iter(numbers.items()))
                result.node.extend(read(node, number, dtype, node.name in updates.failing))
        else:
            result.node.append(node)
    return result


class _Source(NamedTuple):
    """A tensor that passes on what was a variable.

    Args:
        dtype: the dtype of its value.
        variables: the variables that it may be.
        is_reference: whether it is a reference, whose value most ops read, rather than a handle.
    """

    dtype: AttrValue
    variables: frozenset[str]
    is_reference: bool


def _handed_on(part: GraphDef, sources: Mapping[str, _Source]) -> dict[str, _Source]:
    """Outputs that pass on inputs which were variables and are values now."""
    passed_on: dict[str, _Source] = {}
    for node in part.node:
        inputs = _frozen_inputs(node, sources)
        if not node.op.startswith("Ref"):
            inputs = {i: source for i, source in inputs.items() if not source.is_reference}
        if not inputs:
            continue
        is_reference = all(source.is_reference for source in inputs.values())
        handed = handed_on(node, {i: source.dtype for i, source in inputs.items()})
        variables = frozenset[str]().union(*(source.variables for source in inputs.values()))
        passed_on |= {
            f"{node.name}:{i}": _Source(dtype, variables, is_reference)
            for i, dtype in handed.items()
        }
    return {
        name: source
        for name, source in passed_on.items()
        if name not in sources or not source.variables <= sources[name].variables
    }


def _frozen_inputs(node: NodeDef, sources: Mapping[str, _T]) -> dict[int, _T]:
    """The inputs of a node that are variables no longer, by number."""
    names = map(full_input, node.input)
    return {i: sources[name] for i, name in enumerate(names) if name in sources}


def _constant(node: NodeDef, value: Any) -> NodeDef:
    dtype = node.attr["dtype"]
    constant = NodeDef(name=node.name, op="Const", device=node.device)
    constant.attr["dtype"].CopyFrom(dtype)
    tensor = make_tensor_proto(value, as_dtype(dtype.type), np.shape(value))
    constant.attr["value"].tensor.CopyFrom(tensor)
    return constant


def _reader(
    node: NodeDef, taken: set[str], number: int, dtype: AttrValue, conditional: bool
) -> list[NodeDef]:
    """The node as one that reads a constant of the dtype, behind further nodes that it needs.

    An update that is `conditional` becomes one that fails.
    """
    if is_update(node, number):
        if not conditional:
            raise refused(node)
        return failing_update(node, number, dtype, taken)
    if node.op in INITIALIZED:
        return [always_initialized(node)]
    if node.op == "ReadVariableOp":
        return [_as(node, "Identity", T="dtype")]
    if node.op == "VariableShape":
        shape = _as(node, "Shape", out_type="out_type")
        shape.attr["T"].CopyFrom(dtype)
        return [shape]
    if node.op == "ResourceGatherNd":
        return [_as(node, "GatherNd", Tparams="dtype", Tindices="Tindices")]
    if node.op != "ResourceGather":
        return [node]
    axis = NodeDef(name=free_name(f"{node.name}/axis", taken), op="Const", device=node.device)
    axis.attr["dtype"].type = as_dtype("int32").as_datatype_enum
    axis.attr["value"].tensor.CopyFrom(make_tensor_proto(node.attr["batch_dims"].i, "int32"))
    gather = _as(node, "GatherV2", Tparams="dtype", Tindices="Tindices", batch_dims="batch_dims")
    gather.attr["Taxis"].CopyFrom(axis.attr["dtype"])
    gather.input.insert(2, axis.name)
    return [axis, gather]


def _as(node: NodeDef, op: str, **attrs: str) -> NodeDef:
    """The node with another type, and the attrs that it then has, each from one that it had."""
    result = NodeDef(name=node.name, op=op, device=node.device, input=node.input)
    for name, source in attrs.items():
        if source in node.attr:  # otherwise it has its default
            result.attr[name].CopyFrom(node.attr[source])
    return result
