"""`tensordraft split`: what of a graph file can be computed in chunks of rows."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..distributed.report import split_report
from ..graph.node import Operation
from .check import add_shape_argument
from .graph_file import GraphFile, add_file_argument
from .text import printable

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "split",
        help="what of a graph file can be computed in chunks of rows, and what combines them",
        description=(
            "Tells, without running a graph, which of its tensors fall apart along a named size, "
            "how parts are combined, and the first op that needs all rows at once. The exit code "
            "is 1 if there is one."
        ),
    )
    add_file_argument(parser)
    parser.add_argument(
        "--along",
        metavar="NAME",
        default="batch",
        help="the name of the size, by default batch; where no shape has it, it is the first size "
        "of each input whose first size is unknown",
    )
    parser.add_argument(
        "--fetch",
        metavar="NAME",
        action="append",
        help="a tensor or op that is wanted; may be repeated; by default the outputs",
    )
    add_shape_argument(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    parser.set_defaults(command=split)


def split(arguments: Namespace) -> int:
    """Prints the report; returns the exit code."""
    file = GraphFile(arguments.file)
    if arguments.fetch:
        fetches: list[Any] = [file.element(name) for name in arguments.fetch]
    else:
        fetches = list(file.outputs())
    tensors: list[Any] = []
    for item in fetches:
        tensors += (item.outputs or [item]) if isinstance(item, Operation) else [item]
    report = split_report(file.graph, tensors, arguments.along, dict(arguments.shape))
    if arguments.json:
        print(json.dumps(asdict(report)))
    else:
        print("\n".join(map(printable, str(report).splitlines())))
    return 0 if report.ok else 1
