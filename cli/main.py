"""The command line: what it understands, and how it ends."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING

from .. import __version__
from ..graph.errors import OpError
from . import (
    annotate,
    check,
    contract,
    cost,
    diff,
    draw,
    edit,
    extract,
    freeze,
    ops,
    optimize,
    profile,
    python,
    run,
    show,
    split,
    strip,
)
from .text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

OK, FAILED, INTERRUPTED = 0, 1, 130

_EPILOG = """\
A file may be a graph that TensorFlow or tensordraft wrote (binary, .pb, or text, .pbtxt), the .meta
file of a checkpoint, or a SavedModel or its folder: what it is, its content tells.
Exit codes: 0 it worked, 1 it did not, 2 the command was not understood.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: the arguments; by default those of the process.

    Returns:
        The exit code: 0, or 1 where the command failed, whose reason is then on stderr.

    Raises:
        SystemExit: with code 2 where the arguments make no sense; with 0 for `--help`.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr; not all terminals know "×"
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()  # here, so that a reader who has left is noticed here
    except BrokenPipeError:
        # Python flushes stdout once more at exit, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OpError, OSError, ValueError, TypeError, MemoryError) as error:
        lines = _reason(error).splitlines()
        print("tensordraft:", "\n".join(map(printable, lines)), file=sys.stderr)
        return FAILED
    return code


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tensordraft",
        description="Looks into graph files and runs them, on NumPy.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tensordraft {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        show,
        run,
        python,
        profile,
        check,
        cost,
        split,
        contract,
        ops,
        draw,
        annotate,
        extract,
        freeze,
        optimize,
        strip,
        edit,
        diff,
    ):
        command.add_parser(commands)
    return parser
