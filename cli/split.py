"""`tensordraft split`: the part of a graph file that can be computed in chunks of rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..distributed.report import split_report
from .command_parser import add_command
from .exit_codes import FAILED, OK
from .graph_file import GraphFile, add_fetch_argument, add_model_arguments
from .output import Answer
from .shape_options import add_positive_argument, add_shape_argument

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        split,
        "report what can be computed in chunks of rows, and how they are combined",
        "Reports, without running a graph, which of its tensors can be split along a named size, "
        "how parts are combined, and the first op that needs all rows at once. The exit code is "
        "1 if there is one.",
        ["model.pb", "model.pb --along rows --shape x=rows,784 --fetch scores"],
    )
    add_model_arguments(parser)
    parser.add_argument(
        "--along",
        metavar="NAME",
        default="batch",
        help="the name of the size, by default batch; if no shape has it, it is the first size "
        "of each input whose first size is unknown",
    )
    add_fetch_argument(parser, "to report on")
    add_shape_argument(parser)
    add_positive_argument(parser, "keeps more sizes through reshapes to -1")


def split(arguments: Namespace) -> Answer:
    """Reports what can be split."""
    file = GraphFile(arguments.file, arguments.signature)
    report = split_report(
        file.graph,
        file.fetches(arguments.fetch),
        arguments.along,
        file.shapes(arguments.shape),
        positive=arguments.positive,
    )
    return Answer(lambda: str(report), lambda: asdict(report), OK if report.ok else FAILED)
