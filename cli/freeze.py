"""`tensordraft freeze`: a model with variables as one graph file without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.editing.folding import fold_constants
from ..graph.loading.graph_files import save_graph
from ..saved_models.freezing import freeze_model
from .graph_file import add_file_argument
from .text import comma_separated, counted

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "freeze",
        help="write a model with variables as one graph file without",
        description=(
            "Writes the part of a model that its outputs need, with the values of its variables "
            "as constants: of a SavedModel, or of a checkpoint, whose .meta file is named."
        ),
    )
    add_file_argument(parser)
    parser.add_argument(
        "--outputs",
        metavar="NAMES",
        type=comma_separated,
        help="outputs of the signature, or nodes, with commas between; by default all outputs",
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
    parser.add_argument("--out", metavar="FILE", required=True, help="the file: .pb or .pbtxt")
    parser.set_defaults(command=freeze)


def freeze(arguments: Namespace) -> int:
    """Writes the frozen graph; returns the exit code."""
    graph_def = freeze_model(arguments.file, arguments.outputs, arguments.tags, arguments.signature)
    if arguments.fold:
        graph_def = fold_constants(graph_def)
    path = save_graph(graph_def, arguments.out)
    print(f"{counted(len(graph_def.node), 'node')} saved in {path}")
    return 0
