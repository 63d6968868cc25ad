"""`tensordraft strip`: writes a graph file without redundant information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model_files.freeze_model import signature_nodes
from ..model_files.loading import model_of
from ..saving.editing.fold_constants import fold_constants
from ..saving.editing.graph_editing import (
    extract_sub_graph,
    remove_training_nodes,
    strip as stripped,
)
from ..saving.editing.loose_ends import read_by_none, without_loose_ends
from .command_parser import add_command
from .graph_file import add_file_argument, read_file
from .out_files import add_graph_out
from .output import Answer, saved

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        strip,
        "write a graph file without redundant information",
        "Copies a graph file without devices, default attrs and recorded shapes; "
        "with --fold and --training, also without nodes that a run does not need, which are those "
        "that no signature needs if the model has signatures.",
        ["model.pb --fold --training --out small.pb"],
    )
    add_file_argument(parser)
    add_graph_out(parser)
    parser.add_argument("--fold", action="store_true", help="fold constants")
    parser.add_argument(
        "--training", action="store_true", help="remove Identity and CheckNumerics nodes"
    )
    parser.add_argument(
        "--lower",
        action="store_true",
        help="lower branches, loops and calls from functions to Switch, Merge and Enter",
    )


def strip(arguments: Namespace) -> Answer:
    """Writes the stripped graph."""
    file = read_file(arguments.file, apart=False)
    whole = graph_def = file.graph_def
    if arguments.training or arguments.fold:
        needed = signature_nodes(model_of(file)) if file.meta_graph is not None else []
        if needed:
            graph_def = extract_sub_graph(graph_def, needed)
        graph_def = without_loose_ends(graph_def)
    if arguments.training:
        graph_def = remove_training_nodes(graph_def, read_by_none(graph_def))
    if arguments.fold:
        graph_def = fold_constants(graph_def)
    lowered = "lowered" if arguments.lower else None
    return saved(stripped(graph_def), arguments.out, whole, lowered)
