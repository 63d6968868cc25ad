"""Freezes tables: their content becomes constants, which fill them before any lookup."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph.graph import Graph
from ..graph.node_def import full_input
from ..graph.registry import find
from ..protos.dtypes import as_dtype
from ..protos.messages import AttrValue, GraphDef, NodeDef
from ..protos.tensor_util import make_tensor_proto
from .editing.graph_editing import free_name, nodes_by_name


class _Filling(NamedTuple):
    """The op that fills a table, and its attrs for the dtypes of keys and values."""

    op: str
    keys: str
    values: str


_ONCE = _Filling("InitializeTable", "Tkey", "Tval")  # a table that is full already stays as it is
_ANEW = _Filling("LookupTableImport", "Tin", "Tout")
_TABLES = {
    "HashTable": _ONCE,
    "MutableHashTable": _ANEW,
    "MutableHashTableOfTensors": _ANEW,
    "MutableDenseHashTable": _ANEW,
}
_CHANGES = ("LookupTableInsert", "LookupTableRemove", "LookupTableImport", "InitializeTable")


def with_tables_filled(graph_def: GraphDef, graph: Graph, session: Any) -> GraphDef:
    """Returns a graph whose tables are filled with their content in a session.

    Each table gets an op that fills it from constants; every op that takes the table
    waits for that op. Empty tables are left as they are.

    Args:
        graph_def: the graph.
        graph: the graph of the session, which has the tables by the same names.
        session: the session.

    Raises:
        ValueError: the graph changes a table, so that its content is not constant.
    """
    tables = {node.name: node for node in graph_def.node if node.op.removesuffix("V2") in _TABLES}
    taken = set(nodes_by_name(graph_def))
    fillings: dict[str, list[NodeDef]] = {}
    contents = session.run({name: _export(node, graph) for name, node in tables.items()})
    for name, node in tables.items():
        keys, values = contents[name]
        if len(keys):
            fillings[name] = _filling(node, keys, values, taken)
    result = GraphDef(versions=graph_def.versions, library=graph_def.library)
    for node in graph_def.node:
        result.node.append(node)
        sources = {full_input(text).removesuffix(":0") for text in node.input}
        for name in sorted(sources & tables.keys()):
            if node.op.removesuffix("V2").startswith(_CHANGES):
                raise ValueError(
                    f"the outputs need {node.name!r} ({node.op}), which changes the table "
                    f"{name!r}, so that cannot be constant"
                )
            if name in fillings:
                result.node[-1].input.append(f"^{fillings[name][-1].name}")
        result.node.extend(fillings.get(node.name, ()))
    return result


def _export(node: NodeDef, graph: Graph) -> tuple[Any, Any]:
    """The keys and values of a table."""
    export: Any = find("LookupTableExport" + _version(node))
    with graph.as_default(), graph.name_scope(None):
        keys, values = export(
            graph.get_tensor_by_name(f"{node.name}:0"),
            Tkeys=as_dtype(node.attr["key_dtype"].type),
            Tvalues=as_dtype(node.attr["value_dtype"].type),
        )
    return keys, values


def _filling(node: NodeDef, keys: Any, values: Any, taken: set[str]) -> list[NodeDef]:
    """The constants, and the op that fills a table with them."""
    kind = _TABLES[node.op.removesuffix("V2")]
    constants = [
        _constant(free_name(f"{node.name}/{what}", taken), node.attr[f"{which}_dtype"], array)
        for what, which, array in (("keys", "key", keys), ("values", "value", values))
    ]
    fill = NodeDef(
        name=free_name(f"{node.name}/fill", taken),
        op=kind.op + _version(node),
        input=[node.name, *[constant.name for constant in constants]],
        device=node.device,
    )
    fill.attr[kind.keys].CopyFrom(node.attr["key_dtype"])
    fill.attr[kind.values].CopyFrom(node.attr["value_dtype"])
    return [*constants, fill]


def _constant(name: str, dtype: AttrValue, array: Any) -> NodeDef:
    constant = NodeDef(name=name, op="Const")
    constant.attr["dtype"].CopyFrom(dtype)
    tensor = make_tensor_proto(array, as_dtype(dtype.type), np.shape(array))
    constant.attr["value"].tensor.CopyFrom(tensor)
    return constant


def _version(node: NodeDef) -> str:
    return "V2" if node.op.endswith("V2") else ""
