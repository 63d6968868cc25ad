"""`tensordraft contract`: the contract that a graph currently meets, as a first draft."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from ..analysis.inferred_contract import present_contract
from ..formats.replacement import replacing
from .command_parser import add_command
from .graph_file import GraphFile, add_model_arguments
from .out_files import out_file
from .output import Answer
from .shape_options import add_positive_argument, add_shape_argument, add_size_argument

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        contract,
        "write the contract that a graph currently meets",
        "Writes the inputs, outputs, op types, costs and other properties of a graph as "
        "a contract in TOML. Edit it, and check graphs against it with `check --contract`.",
        ["model.pb --size batch=64 --out model.toml"],
    )
    add_model_arguments(parser)
    add_shape_argument(parser)
    add_positive_argument(parser, "keeps more sizes through reshapes to -1")
    add_size_argument(parser, "for the cost limits; by default 1")
    parser.add_argument(
        "--out", metavar="FILE", type=out_file(".toml"), help="save it instead of printing it"
    )


def contract(arguments: Namespace) -> Answer:
    """Writes the contract of a graph."""
    source = GraphFile(arguments.file, arguments.signature)
    text = present_contract(
        source.model, source.shapes(arguments.shape), dict(arguments.size), arguments.positive
    ).to_toml()
    if arguments.out is None:
        return Answer(lambda: text, lambda: tomllib.loads(text))
    with replacing(arguments.out) as file:
        file.write(text.encode())
    saved = {"file": arguments.out}
    return Answer(lambda: f"saved in {arguments.out}", lambda: tomllib.loads(text) | saved)
