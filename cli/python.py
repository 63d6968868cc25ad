"""`tensordraft python`: a program for TensorFlow 1.x, run on tensordraft."""

from __future__ import annotations

import argparse
import runpy
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..programs.name_check import check_names
from ..programs.tensorflow_names import as_tensorflow

if TYPE_CHECKING:
    from argparse import Namespace

_EXAMPLES = """\
In the program, `import tensorflow` means tensordraft; the program stays as it is.

examples:
  tensordraft python train.py --steps 100
  tensordraft python --check train.py
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "python",
        help="run a program for TensorFlow 1.x",
        description="Runs a program that was written for TensorFlow 1.x.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--check", action="store_true", help="run nothing; list the names that are missing"
    )
    parser.add_argument("program", metavar="PROGRAM", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program is given")
    parser.set_defaults(command=python)


def python(arguments: Namespace) -> int:
    """Runs the program, or checks its names; returns the exit code."""
    path = Path(arguments.program)
    if arguments.check:
        report = check_names(path.read_text(encoding="utf-8"), str(path))
        print(report)
        return 1 if report.missing else 0
    path.stat()  # what cannot be read is told as for any other file
    as_tensorflow()
    sys.argv = [arguments.program, *arguments.arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        runpy.run_path(arguments.program, run_name="__main__")
    except Exception as error:  # noqa: BLE001
        traceback.print_exception(_from_program(error, path))
        return 1
    return 0


def _from_program(error: Exception, path: Path) -> Exception:
    """The error without the frames that lead to the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(path):
        trace = trace.tb_next
    return error.with_traceback(trace or error.__traceback__)
