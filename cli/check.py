"""`tensordraft check`: whether a graph file or a program is consistent, and what shapes it has."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..analysis.check_graph import check_graph
from ..analysis.checking.report import Report
from ..analysis.contract import Contract
from ..analysis.formats import to_junit, to_sarif
from ..saving.load_budget import LoadBudget
from ..tf1.program_checks.check_program import check_program
from .command_parser import add_command
from .exit_codes import FAILED, OK
from .graph_file import add_fetch_argument, add_file_argument, read_graph
from .output import Answer
from .progress import ShownProgress
from .shape_options import add_positive_argument, add_shape_argument, add_size_argument
from .standard_input import DASH, title

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        check,
        "whether a graph file or a program is consistent, and what shapes it has",
        "Infers every shape of a graph without running it, and prints what is wrong, what must "
        "hold though only a run decides it, and the shape of every tensor. A program (.py) runs "
        "with sessions that work out dtypes and shapes alone: each run that it makes is checked, "
        "in seconds. The exit code is 1 if something is wrong.",
        [
            "model.pb --shape x=batch,784",
            "model.pb --quiet --contract model.toml",
            "train.py -- --steps 100",
        ],
    )
    add_file_argument(parser)
    add_shape_argument(parser)
    add_size_argument(parser, "or for a size of an input as the report shows it, such as x.0")
    add_positive_argument(parser, "reshapes to -1 keep more sizes")
    add_fetch_argument(parser, "that is wanted, to check only what it needs", "by default all")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail, too, if a requirement is open or the shape of what is fetched is not known",
    )
    parser.add_argument(
        "--contract", metavar="FILE", help="hold the graph against a contract, in TOML"
    )
    parser.add_argument(
        "--untrusted",
        action="store_true",
        help="tell what the graph would touch besides itself, and fail if it would",
    )
    parser.add_argument(
        "--budget",
        metavar="LIMITS",
        type=parse_budget,
        default={},
        help="what reading the file may take, such as bytes=1e8,nodes=50000,seconds=10",
    )
    parser.add_argument(
        "--ignore",
        metavar="CODE",
        action="append",
        default=[],
        help="a lint that is not wanted, such as TD001; may be repeated",
    )
    parser.add_argument(
        "--quiet",
        action="store_true",
        help="print only what is wrong: nothing where nothing is (with --strict, what is open is)",
    )
    parser.add_argument(
        "--format", choices=["text", "sarif", "junit"], default="text", help="how to tell"
    )
    program = parser.add_argument_group("of a program")
    program.add_argument(
        "--runs",
        type=int,
        default=3,
        help="how often each distinct run is worked out; a loop ends with the first round that "
        "makes no other (default: 3)",
    )
    program.add_argument(
        "--seconds", type=float, default=120.0, help="how long it may take (default: 120)"
    )
    program.add_argument("--output", action="store_true", help="show what the program prints")
    program.add_argument(
        "arguments", metavar="ARGUMENT", nargs="*", help="what it is given, behind --"
    )


def parse_budget(text: str) -> dict[str, float]:
    """The limits that `text` states.

    Raises:
        ArgumentTypeError: it states none.

    Example:
        >>> from tensordraft.cli.check import parse_budget
        >>> parse_budget("bytes=1e8,seconds=10")
        {'bytes': 100000000.0, 'seconds': 10.0}
    """
    limits = {}
    for item in text.split(","):
        name, _, number = item.partition("=")
        try:
            limits[name] = float(number)
        except ValueError:
            raise ArgumentTypeError(f"{item!r} is not of the form NAME=NUMBER") from None
        if name not in ("bytes", "nodes", "seconds"):
            raise ArgumentTypeError(f"a budget has bytes, nodes and seconds, got {name!r}")
    return limits


def _contract(arguments: Namespace) -> Contract | None:
    contract = None if arguments.contract is None else Contract.load(arguments.contract)
    if arguments.untrusted:
        contract = replace(contract or Contract(), files=False, python=False, unknown=False)
    return contract


def check(arguments: Namespace) -> Answer:
    """Checks what the arguments name."""
    if arguments.file.endswith(".py"):
        return _check_program(arguments)
    if arguments.arguments:
        raise ValueError(f"{arguments.file} is no program (.py), and takes no arguments")
    contract = _contract(arguments)
    name = title(arguments.file)
    with ShownProgress(name) as progress:
        budget = LoadBudget(**arguments.budget, progress=progress)
        report = check_graph(
            read_graph(DASH, budget) if arguments.file == DASH else arguments.file,
            dict(arguments.shape),
            arguments.fetch,
            budget,
            contract,
            arguments.ignore,
            dict(arguments.size),
            arguments.positive,
        )
    failed = not report.ok or (arguments.strict and (report.requirements or report.losses))
    code = FAILED if failed else OK
    return Answer(lambda: _text(report, name, arguments), lambda: _data(report, arguments), code)


def _text(report: Report, name: str, arguments: Namespace) -> str:
    if arguments.format == "sarif":
        return to_sarif(report, name)
    if arguments.format == "junit":
        return to_junit(report, name)
    if arguments.quiet:
        return "\n".join(report.findings(open_ones=arguments.strict))
    return str(report)


def _data(report: Report, arguments: Namespace) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(report.to_json())
    told = ("tensors", "inside") if arguments.quiet else ()
    return {name: value for name, value in data.items() if name not in told}


def _check_program(arguments: Namespace) -> Answer:
    if arguments.format != "text":
        raise ValueError(f"--format {arguments.format} is for graphs; of a program there is --json")
    report = check_program(
        arguments.file,
        arguments.arguments,
        arguments.runs,
        arguments.seconds,
        show_output=arguments.output,
    )
    code = FAILED if not report.ok or (arguments.strict and report.findings) else OK
    findings = "\n".join(map(str, report.findings))
    return Answer(
        lambda: findings if arguments.quiet else str(report),
        lambda: json.loads(report.to_json()),
        code,
    )
