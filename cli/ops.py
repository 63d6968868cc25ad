"""`tensordraft ops`: the supported ops, of all or of a graph file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..graph.registry import definitions
from ..runtime.suggestions import pluralize
from .command_parser import add_command
from .exit_codes import FAILED, OK
from .graph_file import FILE_HELP, GraphFile
from .output import Answer
from .text import table

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        ops,
        "list the supported ops, of all or of a graph file",
        "Without FILE, lists every op type with its signature. With FILE, lists which of the op "
        "types in it are supported; the exit code is 1 if some are not.",
        ["", "model.pb"],
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help=FILE_HELP)


def ops(arguments: Namespace) -> Answer:
    """Lists all op types, or those of a file."""
    if arguments.file is not None:
        return _of_file(GraphFile(arguments.file))
    signatures = {
        definition.name: str(definition).removeprefix(definition.name)
        for definition in definitions()
    }
    return Answer(lambda: table(signatures.items()), lambda: signatures)


def _of_file(file: GraphFile) -> Answer:
    counts = sorted(Counter(op.type for op in file.ops).items())
    missing = sorted(file.unsupported())

    def text() -> str:
        types = pluralize(len(counts), "op type")
        rows = [
            (op, pluralize(n, "node"), "NOT SUPPORTED" if op in missing else "supported")
            for op, n in counts
        ]
        verdict = f"{types}, all supported"
        if missing:
            verdict = f"{len(missing)} of {types} not supported: {', '.join(missing)}"
        return "\n".join([*([table(rows), ""] if rows else []), f"{file.title}: {verdict}"])

    return Answer(
        text,
        lambda: {op: {"nodes": n, "supported": op not in missing} for op, n in counts},
        FAILED if missing else OK,
    )
