"""Output of a command, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from ..protos.messages import GraphDef
from ..runtime.suggestions import pluralize
from ..saving.graph_files import save_graph
from .text import printable


class Answer(NamedTuple):
    """Output of a command.

    Attributes:
        text: makes the lines of text; nothing is printed if they are empty.
        data: makes the object for JSON.
        code: the exit code.
    """

    text: Callable[[], str]
    data: Callable[[], Any]
    code: int = 0

    def show(self, *, as_json: bool) -> None:
        """Prints the answer: lines, or one line of JSON."""
        if as_json:
            print(json.dumps(self.data()))
        elif text := self.text():
            print("\n".join(map(printable, text.splitlines())))


def saved(
    graph_def: GraphDef, path: str, before: GraphDef | None = None, control_flow: str | None = None
) -> Answer:
    """Writes a graph to a file, and reports it.

    Args:
        graph_def: the graph.
        path: the file.
        before: the original graph, if it had other nodes.
        control_flow: as for `td.save_graph`.
    """
    save_graph(graph_def, path, control_flow=control_flow)
    nodes = len(graph_def.node)
    data = {"nodes": nodes, "file": path}
    if before is None:
        return Answer(lambda: f"{pluralize(nodes, 'node')} saved in {path}", lambda: data)
    whole = len(before.node)
    text = f"{nodes:,} of {pluralize(whole, 'node')} saved in {path}"
    return Answer(lambda: text, lambda: {"nodes": nodes, "of": whole, "file": path})
