"""`tensordraft check`: whether a graph file or a program is consistent, and what shapes it has."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..analysis.checking import check_graph
from ..analysis.contract import Contract
from ..analysis.formats import to_junit, to_sarif
from ..dry_runs.check_program import check_program
from ..graph.loading.load_budget import LoadBudget
from .graph_file import add_file_argument
from .progress import ShownProgress
from .text import printable

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="whether a graph file or a program is consistent, and what shapes it has",
        description=(
            "Infers every shape of a graph without running it, and prints what is wrong, what "
            "must hold though only a run decides it, and the shape of every tensor. A program "
            "(.py) runs with sessions that work out dtypes and shapes alone: each run that it "
            "makes is checked, in seconds. The exit code is 1 if something is wrong."
        ),
    )
    add_file_argument(parser)
    add_shape_argument(parser)
    parser.add_argument(
        "--fetch",
        metavar="NAME",
        action="append",
        help="a tensor or op that is wanted, to check only what it needs; may be repeated",
    )
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
        "--format", choices=["text", "json", "sarif", "junit"], default="text", help="how to tell"
    )
    parser.add_argument("--json", action="store_true", help="the same as --format json")
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
    parser.set_defaults(command=check)


def add_shape_argument(parser: ArgumentParser) -> None:
    """Adds `--shape` to a command."""
    parser.add_argument(
        "--shape",
        metavar="NAME=SIZES",
        action="append",
        default=[],
        type=parse_shape,
        help="the shape of an input, such as x=batch,784, with a number, a name or ? for each "
        "size, and nothing at all for a scalar; may be repeated",
    )


def parse_shape(text: str) -> tuple[str, list[int | str | None]]:
    """The name and the shape that `text` states.

    Raises:
        ArgumentTypeError: it states none.

    Example:
        >>> from tensordraft.cli.check import parse_shape
        >>> parse_shape("x=batch,784")
        ('x', ['batch', 784])
    """
    name, equals, sizes = text.rpartition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=SIZES")
    return name, [_size(item.strip()) for item in sizes.split(",")] if sizes.strip() else []


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


def _size(text: str) -> int | str | None:
    if text == "?":
        return None
    if text.isidentifier():
        return text
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise ArgumentTypeError(f"a size is a number, a name or ?, got {text!r}")
    return int(text)


def _contract(arguments: Namespace) -> Contract | None:
    contract = None if arguments.contract is None else Contract.load(arguments.contract)
    if arguments.untrusted:
        contract = replace(contract or Contract(), files=False, python=False, unknown=False)
    return contract


def check(arguments: Namespace) -> int:
    """Prints the report on `arguments.file`; returns the exit code."""
    if arguments.file.endswith(".py"):
        return _check_program(arguments)
    if arguments.arguments:
        raise ValueError(f"{arguments.file} is no program (.py), and takes no arguments")
    contract = _contract(arguments)
    with ShownProgress(arguments.file) as progress:
        report = check_graph(
            arguments.file,
            dict(arguments.shape),
            arguments.fetch,
            LoadBudget(**arguments.budget, progress=progress),
            contract,
            arguments.ignore,
        )
    form = "json" if arguments.json else arguments.format
    if form == "text":
        print("\n".join(map(printable, str(report).splitlines())))
    elif form == "json":
        print(report.to_json())
    else:
        print((to_sarif if form == "sarif" else to_junit)(report, arguments.file))
    failed = not report.ok or (arguments.strict and (report.requirements or report.losses))
    return 1 if failed else 0


def _check_program(arguments: Namespace) -> int:
    report = check_program(
        arguments.file,
        arguments.arguments,
        arguments.runs,
        arguments.seconds,
        show_output=arguments.output,
    )
    if arguments.json or arguments.format == "json":
        print(report.to_json())
    else:
        print("\n".join(map(printable, str(report).splitlines())))
    return 0 if report.ok and not (arguments.strict and report.findings) else 1
