"""`tensordraft extract`: cuts the needed part out of a graph file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..saving.editing.graph_editing import extract_sub_graph
from .command_parser import add_command
from .graph_file import add_fetch_argument, add_file_argument, read_graph
from .out_files import add_graph_out
from .output import Answer, saved

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        extract,
        "cut the part that some nodes need out of a graph file",
        "Writes the part of a graph that the fetches need. The graph is cut at the tensors "
        "that are fed: each becomes a placeholder.",
        ["model.pb --feed features:0 --fetch logits --out head.pb"],
    )
    add_file_argument(parser)
    add_fetch_argument(parser, "to keep, with everything it needs", "", required=True)
    parser.add_argument(
        "--feed",
        metavar="NAME",
        action="append",
        default=[],
        help="a tensor to cut at; may be repeated",
    )
    add_graph_out(parser)


def extract(arguments: Namespace) -> Answer:
    """Writes the requested part."""
    whole = read_graph(arguments.file)
    part = extract_sub_graph(whole, arguments.fetch, arguments.feed)
    return saved(part, arguments.out, whole)
