"""`tensordraft annotate`: adds the inferred shapes to a graph file."""

from __future__ import annotations

from argparse import SUPPRESS
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..analysis.check_graph import check_graph
from ..graph.stated_shapes import state_shapes
from ..protos.messages import GraphDef
from ..runtime.suggestions import pluralize
from ..saving.graph_files import save_graph
from ..saving.saved_model.loaded_model import INPUT_TYPES
from ..shape_inference.tensor_shape import TensorShape
from .command_parser import add_command
from .graph_file import add_file_argument, read_graph
from .out_files import GRAPH_ENDINGS, add_graph_out, out_file
from .output import Answer
from .shape_options import add_positive_argument, add_shape_argument

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        annotate,
        "add the inferred shapes to a graph file",
        "Copies a graph file and adds the shapes of its outputs to every node, as "
        "_output_shapes, which viewers such as Netron show on the edges. A placeholder named "
        "in --shape gets that shape.",
        ["model.pb --out annotated.pb --shape x=batch,784"],
    )
    add_file_argument(parser)
    add_graph_out(parser, required=False)
    # The former, positional form of --out.
    parser.add_argument("old_out", nargs="?", type=out_file(*GRAPH_ENDINGS), help=SUPPRESS)
    add_shape_argument(parser)
    add_positive_argument(parser, "keeps more sizes through reshapes to -1")


def annotate(arguments: Namespace) -> Answer:
    """Writes the annotated graph."""
    out = arguments.out or arguments.old_out
    if out is None or (arguments.out and arguments.old_out):
        raise ValueError("expected one file to write: --out FILE")
    graph_def = read_graph(arguments.file)
    report = check_graph(graph_def, dict(arguments.shape), positive=arguments.positive)
    report.raise_for_errors()
    shapes: dict[str, list[TensorShape]] = {}
    for fact in report.tensors:
        shapes.setdefault(fact.name.rpartition(":")[0], []).append(fact.shape)
    fix_shapes(graph_def, shapes, {name.removesuffix(":0") for name, _ in arguments.shape})
    nodes = [node for node in graph_def.node if node.name in shapes]
    number = sum(state_shapes(node, shapes[node.name]) for node in nodes)
    path = save_graph(graph_def, out)
    return Answer(
        lambda: f"{pluralize(number, 'node')} annotated, saved in {path}",
        lambda: {"nodes": number, "file": path},
    )


def fix_shapes(
    graph_def: GraphDef, shapes: dict[str, list[TensorShape]], names: Collection[str]
) -> None:
    """Sets the shape attribute of the placeholders called `names`."""
    for node in graph_def.node:
        if node.name in names and node.op in INPUT_TYPES:
            node.attr["shape"].shape.CopyFrom(shapes[node.name][0].as_proto())
