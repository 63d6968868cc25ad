"""`tensordraft extract`: cuts the needed part out of a graph file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.editing.graph_editing import extract_sub_graph
from ..graph.files.model_files import load_graph_def
from ..graph.loading.graph_files import save_graph
from .graph_file import add_file_argument
from .text import counted

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "extract",
        help="cut the part that some nodes need out of a graph file",
        description=(
            "Writes the part of a graph that what is fetched needs. The graph is cut at the "
            "tensors that are fed: each becomes a placeholder."
        ),
    )
    add_file_argument(parser)
    parser.add_argument(
        "--fetch",
        metavar="NAME",
        action="append",
        required=True,
        help="a tensor or op to keep, with all that it needs; may be repeated",
    )
    parser.add_argument(
        "--feed",
        metavar="NAME",
        action="append",
        default=[],
        help="a tensor to cut at; may be repeated",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="the file: .pb or .pbtxt")
    parser.set_defaults(command=extract)


def extract(arguments: Namespace) -> int:
    """Writes the part that is asked for; returns the exit code."""
    whole = load_graph_def(arguments.file)
    part = extract_sub_graph(whole, arguments.fetch, arguments.feed)
    path = save_graph(part, arguments.out)
    print(f"{len(part.node)} of {counted(len(whole.node), 'node')} saved in {path}")
    return 0
