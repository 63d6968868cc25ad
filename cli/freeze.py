"""`tensordraft freeze`: a model with variables as one graph file without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..saving.editing.folding import fold_constants
from ..saving.freeze_model import freeze_loaded
from ..saving.loading import model_of
from .command_parser import add_command
from .graph_file import add_fetch_argument, add_file_argument, read_file
from .out_files import add_graph_out
from .output import Answer, saved
from .text import comma_separated

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        freeze,
        "write a model with variables as one graph file without",
        "Writes the part of a model that its outputs need, with the values of its variables as "
        "constants: of a SavedModel, or of a checkpoint, whose .meta file is named.",
        ["saved_model --out model.pb", "model.ckpt-100.meta --fetch softmax --out model.pb"],
    )
    add_file_argument(parser)
    add_fetch_argument(
        parser,
        "to keep, or an output of the signature",
        "by default all outputs",
        old_name="--outputs",
    )
    parser.add_argument(
        "--tags",
        metavar="TAGS",
        type=comma_separated,
        help="the tags of the meta graph, with commas between; by default the only one, or 'serve'",
    )
    parser.add_argument(
        "--signature",
        metavar="NAME",
        help="the signature; by default 'serving_default', or the only one",
    )
    parser.add_argument("--fold", action="store_true", help="compute what constants decide, too")
    add_graph_out(parser)


def freeze(arguments: Namespace) -> Answer:
    """Writes the frozen graph."""
    model = model_of(read_file(arguments.file, tags=arguments.tags))
    graph_def = freeze_loaded(model, arguments.fetch, arguments.signature)
    if arguments.fold:
        graph_def = fold_constants(graph_def)
    return saved(graph_def, arguments.out)
