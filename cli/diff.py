"""`tensordraft diff`: what two graph files have in common, and what not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.editing.difference import diff
from ..graph.files.model_files import load_graph_def
from .text import print_json, printable

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "diff",
        help="how two graph files differ, node by node",
        description=(
            "Lists nodes that were removed (-), added (+), renamed (=) and changed (!). The exit "
            "code is 1 if there are any."
        ),
    )
    parser.add_argument("first", metavar="FILE", help="a GraphDef: .pb, or .pbtxt in text form")
    parser.add_argument("second", metavar="FILE", help="another one")
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=compare)


def compare(arguments: Namespace) -> int:
    """Prints how the two files differ; returns the exit code."""
    difference = diff(load_graph_def(arguments.first), load_graph_def(arguments.second))
    if arguments.json:
        print_json(vars(difference))
    else:
        print("\n".join(map(printable, str(difference).splitlines())))
    return 1 if difference else 0
