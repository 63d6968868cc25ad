"""`tensordraft diff`: differences between two graph files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..analysis.check_graph import check_graph
from ..analysis.contract import Contract
from ..protos.messages import GraphDef
from ..saving.editing.difference import diff as difference_of
from .command_parser import add_command
from .exit_codes import FAILED, OK
from .graph_file import add_file_argument, read_graph
from .output import Answer

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        diff,
        "compare two graph files, node by node",
        "Lists nodes that were removed (-), added (+), renamed (=) and changed (!). The exit code "
        "is 1 if there are any.",
        ["old.pb new.pb", "old.pb new.pb --contract model.toml"],
    )
    add_file_argument(parser, "first", "OLD")
    add_file_argument(parser, "second", "NEW")
    parser.add_argument(
        "--contract", metavar="FILE", help="list the clauses of a contract that the change breaks"
    )


def diff(arguments: Namespace) -> Answer:
    """Compares two graphs."""
    first, second = read_graph(arguments.first), read_graph(arguments.second)
    difference = difference_of(first, second)
    broken = _newly_broken(first, second, arguments.contract) if arguments.contract else []
    breaches = {"breaches": broken} if arguments.contract else {}
    return Answer(
        lambda: "\n".join([str(difference), *[f"breach: {point}" for point in broken]]),
        lambda: {**vars(difference), **breaches},
        FAILED if difference or broken else OK,
    )


def _newly_broken(first: GraphDef, second: GraphDef, path: str) -> list[str]:
    """The clauses of the contract that hold for the first graph but not for the second."""
    contract = Contract.load(path)
    before = {str(point) for point in check_graph(first, contract=contract).breaches}
    after = [str(point) for point in check_graph(second, contract=contract).breaches]
    return [point for point in after if point not in before]
