"""`tensordraft freeze`: writes a model with its variables as constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model_files.freeze_model import freeze_loaded
from ..model_files.loading import model_of
from ..saving.editing.fold_constants import fold_constants
from .command_parser import add_command
from .graph_file import add_fetch_argument, add_file_argument, add_meta_graph_arguments, read_file
from .out_files import add_graph_out
from .output import Answer, saved

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        freeze,
        "write a model as one graph file, with its variables as constants",
        "Writes the part of a model that its outputs need, with the values of its variables as "
        "constants. A model that has no variables is only cut to what its outputs need.",
        ["saved_model --out model.pb", "model.ckpt-100.meta --fetch softmax --out model.pb"],
    )
    add_file_argument(parser)
    add_fetch_argument(
        parser,
        "to keep, or an output of the signature",
        "by default all outputs",
        old_name="--outputs",
    )
    add_meta_graph_arguments(parser)
    parser.add_argument("--fold", action="store_true", help="also fold constants")
    add_graph_out(parser)


def freeze(arguments: Namespace) -> Answer:
    """Writes the frozen graph."""
    model = model_of(read_file(arguments.file, tags=arguments.tags))
    graph_def = freeze_loaded(model, arguments.fetch, arguments.signature)
    if arguments.fold:
        graph_def = fold_constants(graph_def)
    return saved(graph_def, arguments.out)
