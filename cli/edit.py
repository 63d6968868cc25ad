"""`tensordraft edit`: a graph file with other names, and other inputs."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from ..graph.editing.graph_editing import rename, rewire
from ..graph.files.model_files import load_graph_def
from ..graph.loading.graph_files import save_graph
from .graph_file import add_file_argument
from .text import counted

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "edit",
        help="write a graph file with other names, and other inputs",
        description=(
            "Copies a graph file, in which nodes then read other tensors, and then have other "
            "names. What nobody reads any more stays; `extract` leaves it out."
        ),
    )
    add_file_argument(parser)
    parser.add_argument("--out", metavar="FILE", required=True, help="the file: .pb or .pbtxt")
    for option, what in (
        ("--rewire", "whoever reads the tensor OLD reads NEW; both are names in FILE"),
        ("--rename", "the node OLD is called NEW"),
    ):
        parser.add_argument(
            option,
            metavar="OLD=NEW",
            action="append",
            default=[],
            type=_pair,
            help=f"{what}; may be repeated",
        )
    parser.set_defaults(command=edit)


def _pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise ArgumentTypeError(f"{text!r} is not of the form OLD=NEW")
    return old, new


def edit(arguments: Namespace) -> int:
    """Writes the edited graph; returns the exit code."""
    graph_def = rewire(load_graph_def(arguments.file), dict(arguments.rewire))
    graph_def = rename(graph_def, dict(arguments.rename))
    path = save_graph(graph_def, arguments.out)
    print(f"{counted(len(graph_def.node), 'node')} saved in {path}")
    return 0
