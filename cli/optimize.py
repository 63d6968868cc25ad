"""`tensordraft optimize`: makes a frozen graph smaller and faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.suggestions import pluralize
from ..saving.transforms.optimize import optimize as optimized
from ..saving.transforms.transform_graph import transform_graph
from .command_parser import add_command
from .graph_file import add_fetch_argument, add_file_argument, read_graph
from .out_files import add_graph_out
from .output import Answer, saved
from .text import comma_separated

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        optimize,
        "write a frozen graph file that is smaller and faster",
        "Copies a frozen graph without unused nodes, with constants folded "
        "and batch normalizations merged into the preceding filters; or applies the given "
        "transforms instead.",
        [
            "model.pb --out small.pb",
            "model.pb --fetch softmax --transform 'remove_nodes(op=Identity)' --out small.pb",
        ],
    )
    add_file_argument(parser)
    parser.add_argument(
        "--inputs",
        metavar="NAMES",
        type=comma_separated,
        default=[],
        help="nodes that will be fed, separated by commas; by default the placeholders that "
        "have no default",
    )
    add_fetch_argument(
        parser,
        "that will be fetched",
        "by default the outputs that `show` lists",
        old_name="--outputs",
    )
    parser.add_argument("--quantize", action="store_true", help="keep large weights in 8 bits")
    parser.add_argument(
        "--transform",
        metavar="TRANSFORM",
        action="append",
        help="instead, this transform of graph_transforms, such as "
        "'remove_nodes(op=Identity)'; may be repeated; requires --fetch",
    )
    add_graph_out(parser)


def optimize(arguments: Namespace) -> Answer:
    """Writes the optimized graph."""
    before, fetches = read_graph(arguments.file), arguments.fetch or []
    if arguments.transform:
        after = transform_graph(before, arguments.inputs, fetches, arguments.transform)
    else:
        after = optimized(before, arguments.inputs, fetches, arguments.quantize)
    answer = saved(after, arguments.out, before)
    size, whole = after.ByteSize(), before.ByteSize()
    return Answer(
        lambda: f"{answer.text()}: {size:,} of {pluralize(whole, 'byte')}",
        lambda: {**answer.data(), "bytes": size, "of_bytes": whole},
    )
