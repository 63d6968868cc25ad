"""`tensordraft contract`: what a graph promises as it is, to begin a contract with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..analysis.present_state import present_contract
from ..graph.files.replacement import replacing
from .check import add_shape_argument
from .cost import parse_size
from .graph_file import GraphFile, add_file_argument

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "contract",
        help="write the contract that a graph keeps as it is",
        description=(
            "Writes the inputs, outputs, op types and costs of a graph, and what else holds of it, "
            "as a contract in TOML. Edit it, and hold graphs against it by `check --contract`."
        ),
    )
    add_file_argument(parser)
    add_shape_argument(parser)
    parser.add_argument(
        "--size",
        metavar="NAME=N",
        action="append",
        default=[],
        type=parse_size,
        help="a number for a named size, at which costs are limited; by default 1; may be repeated",
    )
    parser.add_argument("--out", metavar="FILE", help="save it there, and do not print it")
    parser.set_defaults(command=write_contract)


def write_contract(arguments: Namespace) -> int:
    """Writes the contract of `arguments.file`; returns the exit code."""
    sizes = {name: size for name, size in arguments.size if isinstance(size, int)}
    if len(sizes) < len(arguments.size):
        raise ValueError("--size takes numbers here: NAME=N")
    model = GraphFile(arguments.file).model
    text = present_contract(model, dict(arguments.shape), sizes).to_toml()
    if arguments.out is None:
        print(text, end="")
        return 0
    with replacing(arguments.out) as file:
        file.write(text.encode())
    print(f"saved in {arguments.out}")
    return 0
