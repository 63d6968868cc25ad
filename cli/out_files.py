"""The files that commands write: checked before anything is computed."""

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
        endings: what its name may end in.
    """

    def parse(text: str) -> OutFile:
        if not text.endswith(endings):
            ends = "ends in none of" if len(endings) > 1 else "does not end in"
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
    """Makes sure that the files that arguments name can be written.

    Raises:
        ValueError: one of them cannot.
    """
    for value in vars(arguments).values():
        if isinstance(value, OutFile):
            reason = _obstacle(value)
            if reason:
                raise ValueError(f"{value}: {reason}")


def _obstacle(path: str) -> str:
    """Why a file cannot be written; "" if nothing is in the way."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        return "" if path.endswith(".zarr") else "it is a folder, and a file is to be written"
    if os.path.exists(target) and not os.path.isfile(target):
        return "it is no regular file, and is not replaced by one"
    if not os.path.isdir(folder):
        return f"there is no folder {os.path.dirname(path) or folder!r}"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {os.path.dirname(path) or folder!r} cannot be written to"
    return ""
