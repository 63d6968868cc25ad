"""Output files of commands: checked before anything is computed."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..formats.message_files import TEXT_SUFFIXES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

GRAPH_ENDINGS = (".pb", *TEXT_SUFFIXES)


class OutFile(str):
    """The path of a file that a command will write."""

    __slots__ = ()


def out_file(*endings: str) -> Callable[[str], OutFile]:
    """Argument type of an option that names an output file.

    Args:
        endings: the allowed endings of its name.
    """

    def parse(text: str) -> OutFile:
        if not text.endswith(endings):
            ends = "must end in one of" if len(endings) > 1 else "must end in"
            raise ArgumentTypeError(f"{text!r} {ends} {', '.join(endings)}")
        return OutFile(text)

    return parse


def add_graph_out(parser: ArgumentParser, *, required: bool = True) -> None:
    """Adds `--out` to a command that writes a graph."""
    parser.add_argument(
        "--out",
        metavar="FILE",
        required=required,
        type=out_file(*GRAPH_ENDINGS),
        help="the file: .pb, or .pbtxt in text form",
    )


def check_outputs(arguments: Namespace) -> None:
    """Checks that the output files can be written.

    Raises:
        ValueError: one of them cannot.
    """
    for value in vars(arguments).values():
        if isinstance(value, OutFile):
            reason = _obstacle(value)
            if reason:
                raise ValueError(f"{value}: {reason}")


def _obstacle(path: str) -> str:
    """The reason why a file cannot be written, or ""."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        return "" if path.endswith(".zarr") else "it is a folder, expected a file"
    if os.path.exists(target) and not os.path.isfile(target):
        return "it is not a regular file, and is not replaced by one"
    if not os.path.isdir(folder):
        return f"there is no folder {os.path.dirname(path) or folder!r}"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {os.path.dirname(path) or folder!r} cannot be written to"
    return ""
