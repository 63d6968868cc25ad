"""`tensordraft optimize`: makes a frozen graph smaller and faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model_files.freeze_model import freeze_loaded, output_nodes
from ..model_files.loading import model_of
from ..protos.messages import GraphDef
from ..runtime.suggestions import pluralize
from ..saving.transforms.optimize import optimize as optimized
from ..saving.transforms.transform_graph import transform_graph
from .command_parser import add_command
from .graph_file import add_fetch_argument, add_model_arguments, read_file
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
        "transforms instead. A model that has a signature or variables is frozen first.",
        [
            "model.pb --out small.pb",
            "saved_model --signature predict --out small.pb",
            "model.pb --fetch softmax --transform 'remove_nodes(op=Identity)' --out small.pb",
        ],
    )
    add_model_arguments(parser)
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
    before, fetches = _frozen(arguments)
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


def _frozen(arguments: Namespace) -> tuple[GraphDef, list[str]]:
    """The graph to optimize, and the names of the nodes to fetch; none where they follow from it.

    Raises:
        OpError, ValueError: the model cannot be frozen.
    """
    file = read_file(arguments.file, apart=False)
    if file.meta_graph is None or arguments.transform:
        return file.graph_def, arguments.fetch or []
    model = model_of(file).with_signature(arguments.signature)
    if model.checkpoint is None and model.main_signature is None:
        return file.graph_def, arguments.fetch or []
    frozen = freeze_loaded(model, arguments.fetch, arguments.signature)
    return frozen, output_nodes(model, arguments.fetch)
