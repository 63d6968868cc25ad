"""`tensordraft edit`: renames nodes of a graph file and rewires their inputs."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from ..saving.editing.graph_editing import rename, rewire
from .command_parser import add_command
from .graph_file import add_file_argument, read_graph
from .out_files import add_graph_out
from .output import Answer, saved

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        edit,
        "rename nodes of a graph file and rewire their inputs",
        "Copies a graph file, rewires inputs, and then renames nodes. "
        "Nodes that are no longer read stay; `extract` removes them.",
        ["model.pb --rewire noise:0=image:0 --rename image=input --out edited.pb"],
    )
    add_file_argument(parser)
    add_graph_out(parser)
    for option, what in (
        ("--rewire", "readers of the tensor OLD read NEW; both are names in FILE"),
        ("--rename", "rename the node OLD to NEW"),
    ):
        parser.add_argument(
            option,
            metavar="OLD=NEW",
            action="append",
            default=[],
            type=_pair,
            help=f"{what}; may be repeated",
        )


def _pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise ArgumentTypeError(f"{text!r} is not of the form OLD=NEW")
    return old, new


def edit(arguments: Namespace) -> Answer:
    """Writes the edited graph."""
    graph_def = rewire(read_graph(arguments.file), dict(arguments.rewire))
    return saved(rename(graph_def, dict(arguments.rename)), arguments.out)
