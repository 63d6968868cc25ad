"""A graph as an event file, which TensorBoard shows."""

from __future__ import annotations

import time
from os import PathLike

from ..formats.event_file import graph_events, opened_event_file
from ..formats.record_file import framed
from ..graph.graph import Graph
from ..protos.messages import GraphDef

public = {"td": "write_graph_events"}


def write_graph_events(graph: Graph | GraphDef, logdir: str | PathLike[str]) -> str:
    """Writes a graph to a new event file, for `tensorboard --logdir`.

    The values of large constants are left out, since TensorBoard does not show them.

    Args:
        graph: a Graph or a GraphDef.
        logdir: the folder; made if it is not there.

    Returns:
        The path of the file.

    Raises:
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> with td.Graph().as_default() as graph:
        ...     y = td.constant(1, name="y")
        >>> os.path.basename(td.write_graph_events(graph, tempfile.mkdtemp()))[:19]
        'events.out.tfevents'
    """
    message = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
    path, file = opened_event_file(logdir)
    with file:
        for event in graph_events(message, with_meta_graph=False):
            event.wall_time = time.time()
            file.write(framed(event.SerializeToString(deterministic=True)))
    return path
