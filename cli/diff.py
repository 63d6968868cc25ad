"""`tensordraft diff`: what two graph files have in common, and what not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..analysis.checking import check_graph
from ..analysis.contract import Contract
from ..graph.editing.difference import diff
from ..graph.files.model_files import load_graph_def
from .text import print_json, printable

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "diff",
        help="how two graph files differ, node by node",
        description=(
            "Lists nodes that were removed (-), added (+), renamed (=) and changed (!). The exit "
            "code is 1 if there are any."
        ),
    )
    parser.add_argument("first", metavar="FILE", help="a GraphDef: .pb, or .pbtxt in text form")
    parser.add_argument("second", metavar="FILE", help="another one")
    parser.add_argument(
        "--contract", metavar="FILE", help="tell which points of a contract the change breaks"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=compare)


def compare(arguments: Namespace) -> int:
    """Prints how the two files differ; returns the exit code."""
    difference = diff(load_graph_def(arguments.first), load_graph_def(arguments.second))
    broken = _newly_broken(arguments) if arguments.contract else []
    if arguments.json:
        told = {"breaches": broken} if arguments.contract else {}
        print_json({**vars(difference), **told})
    else:
        lines = [*str(difference).splitlines(), *[f"breach: {point}" for point in broken]]
        print("\n".join(map(printable, lines)))
    return 1 if difference or broken else 0


def _newly_broken(arguments: Namespace) -> list[str]:
    """The points of the contract that hold for the first file, and not for the second."""
    contract = Contract.load(arguments.contract)
    before = {str(point) for point in check_graph(arguments.first, contract=contract).breaches}
    after = [str(point) for point in check_graph(arguments.second, contract=contract).breaches]
    return [point for point in after if point not in before]
