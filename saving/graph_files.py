"""Graphs written to files: `save_graph`, `write_graph`."""

from __future__ import annotations

import os
from os import PathLike

from ..formats.message_files import TEXT_SUFFIXES, write_message
from ..graph.describe import describe_op
from ..graph.graph import Graph
from ..graph.importing.importer import import_whole
from ..protos.messages import GraphDef

public = {
    "td": "save_graph",
    "td, td.train, td.io": "write_graph",
}


def save_graph(
    graph: Graph | GraphDef, path: str | PathLike[str], *, control_flow: str | None = None
) -> str:
    """Writes a graph to a file that TensorFlow and tensordraft read.

    The file is complete or absent: it is written under another name and moved into place. The
    same graph always gives the same bytes.

    Args:
        graph: a Graph or a GraphDef.
        path: where to; text form if it ends in `.pbtxt`, else binary.
        control_flow: "lowered" writes branches, loops and calls without functions, as for
            `Graph.as_graph_def`.

    Returns:
        The path.

    Raises:
        TypeError, ValueError: it cannot be written like that, or the message is larger than 2 GiB,
            the most that protobuf can read.
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> with td.Graph().as_default() as graph:
        ...     y = td.constant([1, 2], name="y")
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.pb")
        >>> copy = td.load_graph(td.save_graph(graph, path))
        >>> copy.get_tensor_by_name("y:0").shape.as_list()
        [2]
    """
    path = os.fsdecode(path)
    if control_flow is not None and not isinstance(graph, Graph):
        graph = import_whole(graph)
    message = _as_message(graph, control_flow)
    return write_message(message, path, as_text=path.endswith(TEXT_SUFFIXES))


def write_graph(
    graph_or_graph_def: Graph | GraphDef,
    logdir: str | PathLike[str],
    name: str,
    as_text: bool = True,
) -> str:
    """Writes a graph to the file `name` in the folder `logdir`, as TensorFlow's function does.

    Args:
        graph_or_graph_def: a Graph or a GraphDef.
        logdir: the folder; made if it is not there.
        name: the name of the file.
        as_text: whether to write the text form.

    Returns:
        The path.

    Raises:
        ValueError, OSError: as `save_graph`.

    Example:
        >>> import os, tempfile
        >>> with td.Graph().as_default() as graph:
        ...     x = td.constant(1, name="x")
        >>> path = td.write_graph(graph, tempfile.mkdtemp(), "graph.pbtxt")
        >>> td.load_graph(path).get_operations()
        [<td.Operation 'x' type=Const>]
    """
    folder = os.fsdecode(logdir)
    os.makedirs(folder, exist_ok=True)
    return write_message(
        _as_message(graph_or_graph_def), os.path.join(folder, name), as_text=as_text
    )


def _as_message(graph: Graph | GraphDef, control_flow: str | None = None) -> GraphDef:
    if isinstance(graph, GraphDef):
        return graph
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a td.Graph or a GraphDef, got {graph!r}")
    for op in graph.get_operations():
        if op.definition.traits.calls_python:
            raise ValueError(
                f"the graph cannot be saved: {describe_op(op)} calls a Python function, which is "
                "no part of a graph"
            )
    return graph.as_graph_def(control_flow=control_flow)
