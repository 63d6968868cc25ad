"""`tensordraft ops`: which ops there are, and which of them a graph file needs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..graph.registry import definitions
from .graph_file import FILE_HELP, GraphFile
from .text import counted, print_json, printable, table

if TYPE_CHECKING:
    import argparse


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "ops",
        help="the ops that are supported, of all or of a graph file",
        description=(
            "Without FILE, lists every op type with its signature. With FILE, tells which of the "
            "op types in it are supported; the exit code is 1 if some are not."
        ),
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help=FILE_HELP)
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=ops)


def ops(arguments: argparse.Namespace) -> int:
    """Prints op types; returns the exit code."""
    if arguments.file is None:
        return _all(as_json=arguments.json)
    return _of_file(arguments.file, as_json=arguments.json)


def _all(*, as_json: bool) -> int:
    signatures = {
        definition.name: str(definition).removeprefix(definition.name)
        for definition in definitions()
    }
    if as_json:
        print_json(signatures)
    else:
        print(table(signatures.items()))
    return 0


def _of_file(path: str, *, as_json: bool) -> int:
    file = GraphFile(path)
    counts = sorted(Counter(op.type for op in file.ops).items())
    missing = sorted(file.unsupported())
    if as_json:
        print_json({op: {"nodes": n, "supported": op not in missing} for op, n in counts})
    else:
        types = counted(len(counts), "op type")
        rows = [
            (op, counted(n, "node"), "NOT SUPPORTED" if op in missing else "supported")
            for op, n in counts
        ]
        print(table([*rows, ("",) * 3]))
        if missing:
            names = ", ".join(map(printable, missing))
            print(f"{path}: {len(missing)} of {types} not supported: {names}")
        else:
            print(f"{path}: {types}, all supported")
    return 1 if missing else 0
