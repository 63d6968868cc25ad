"""`tensordraft draw`: a picture of a graph file."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from ..graph.files.replacement import replacing
from .dot import dot
from .drawing import draw_graph
from .graph_file import GraphFile, add_file_argument
from .page import page
from .svg import svg
from .text import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from .drawing import Drawing

_WRITERS: dict[str, Callable[[Drawing], str]] = {".dot": dot, ".svg": svg, ".html": page}


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "draw",
        help="draw a picture of a graph file",
        description=(
            "Draws a graph, name scopes being boxes around what is in them: as DOT, as SVG, or as "
            "one HTML page, in which scopes open and close, and which needs nothing but a browser."
        ),
    )
    add_file_argument(parser)
    parser.add_argument(
        "--out", metavar="FILE", type=_out_file, required=True, help="the file: .dot, .svg or .html"
    )
    parser.set_defaults(command=draw)


def _out_file(path: str) -> str:
    if os.path.splitext(path)[1] not in _WRITERS:
        raise ArgumentTypeError(f"{path!r} ends in none of {', '.join(_WRITERS)}")
    return path


def draw(arguments: Namespace) -> int:
    """Writes the picture; returns the exit code."""
    drawing = draw_graph(GraphFile(arguments.file).graph)
    text = _WRITERS[os.path.splitext(arguments.out)[1]](drawing)
    with replacing(arguments.out) as file:
        file.write(text.encode())
    print(f"{counted(len(drawing.boxes), 'node')} drawn, saved in {arguments.out}")
    return 0
