"""`tensordraft optimize`: a frozen graph made smaller and faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.files.model_files import load_graph_def
from ..graph.loading.graph_files import save_graph
from ..saved_models.transforms.optimizing import optimize
from ..saved_models.transforms.transform_graph import transform_graph
from .graph_file import add_file_argument
from .text import comma_separated, counted

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "optimize",
        help="write a frozen graph file that is smaller and faster",
        description=(
            "Copies a frozen graph without what nothing needs, with what follows from constants "
            "computed, and with batch normalizations in the filters before them; or as the named "
            "transforms make it."
        ),
    )
    add_file_argument(parser)
    parser.add_argument(
        "--inputs",
        metavar="NAMES",
        type=comma_separated,
        default=[],
        help="nodes that will be fed, with commas between; by default the placeholders",
    )
    parser.add_argument(
        "--outputs",
        metavar="NAMES",
        type=comma_separated,
        default=[],
        help="nodes that will be fetched; by default those that nobody reads",
    )
    parser.add_argument("--quantize", action="store_true", help="keep large weights in 8 bits")
    parser.add_argument(
        "--transform",
        metavar="TRANSFORM",
        action="append",
        help="instead, this transform of graph_transforms, such as "
        "'remove_nodes(op=Identity)'; may be repeated; --outputs are to be named",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="the file: .pb or .pbtxt")
    parser.set_defaults(command=optimize_file)


def optimize_file(arguments: Namespace) -> int:
    """Writes the optimized graph; returns the exit code."""
    before = load_graph_def(arguments.file)
    if arguments.transform:
        after = transform_graph(before, arguments.inputs, arguments.outputs, arguments.transform)
    else:
        after = optimize(before, arguments.inputs, arguments.outputs, arguments.quantize)
    path = save_graph(after, arguments.out)
    print(
        f"{len(after.node)} of {counted(len(before.node), 'node')}, "
        f"{after.ByteSize()} of {counted(before.ByteSize(), 'byte')} saved in {path}"
    )
    return 0
