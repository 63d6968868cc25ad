"""`tensordraft strip`: a graph file without what a reader can do without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.editing.folding import fold_constants
from ..graph.editing.graph_editing import remove_training_nodes, strip
from ..graph.files.model_files import load_graph_def
from ..graph.loading.graph_files import save_graph
from .graph_file import add_file_argument
from .text import counted

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "strip",
        help="write a graph file without what a reader can do without",
        description=(
            "Copies a graph file without devices, attrs that hold their default, and stated "
            "shapes; with --fold and --training, also without nodes that a run does not need."
        ),
    )
    add_file_argument(parser)
    parser.add_argument("--out", metavar="FILE", required=True, help="the file: .pb or .pbtxt")
    parser.add_argument("--fold", action="store_true", help="compute what constants decide")
    parser.add_argument(
        "--training", action="store_true", help="remove Identity and CheckNumerics nodes"
    )
    parser.add_argument(
        "--lower",
        action="store_true",
        help="write branches, loops and calls without functions, by Switch, Merge and Enter",
    )
    parser.set_defaults(command=strip_file)


def strip_file(arguments: Namespace) -> int:
    """Writes the stripped graph; returns the exit code."""
    graph_def = load_graph_def(arguments.file)
    before = len(graph_def.node)
    if arguments.training:
        graph_def = remove_training_nodes(graph_def)
    if arguments.fold:
        graph_def = fold_constants(graph_def)
    graph_def = strip(graph_def)
    path = save_graph(graph_def, arguments.out, control_flow="lowered" if arguments.lower else None)
    print(f"{len(graph_def.node)} of {counted(before, 'node')} saved in {path}")
    return 0
