"""`tensordraft run`: computes tensors of a graph file."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from ..graph.node import Tensor
from .check import add_shape_argument
from .out_of_core import add_arguments, run_in_chunks
from .request import add_request_parser, read_request
from .results import as_json, print_results, print_types, result, save_results
from .text import print_json

if TYPE_CHECKING:
    from argparse import Namespace

_EXAMPLES = """\
examples:
  tensordraft run model.pb --feed input_0=batch.npz:input --fetch Identity
  tensordraft run model.pb --feed x=table.npy --along batch --out scores.npy
  tensordraft run sum.pb --feed x='[1, 2, 3]' --feed rate=0.5 --out result.npz
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_request_parser(
        commands, "run", "compute tensors of a graph file, and only what they need", _EXAMPLES
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=_out_file,
        help="save the results under their names in FILE.npz (or a single one in FILE.npy) in "
        "place of printing them",
    )
    add_arguments(parser)
    add_shape_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=run)


def _out_file(path: str) -> str:
    if not path.endswith((".npz", ".npy", ".zarr")):
        raise ArgumentTypeError(f"{path!r} ends neither in .npz nor in .npy")
    return path


def run(arguments: Namespace) -> int:
    """Computes what is asked for, and prints or saves it; returns the exit code."""
    if arguments.along:
        return run_in_chunks(arguments, dict(arguments.shape))
    request = read_request(arguments)
    out: str | None = arguments.out
    if out and out.endswith(".zarr"):
        raise ValueError(f"{out}: a zarr array is written with --along")
    tensors = sum(isinstance(item, Tensor) for item in request.fetches)
    if out and out.endswith(".npy") and tensors != 1:
        raise ValueError(f"{out}: holds one array, but {tensors} are fetched; use .npz")
    with request.model.session() as session:
        values = session.run(request.fetches, request.feeds)
    results = [result(*pair) for pair in zip(request.fetches, values, strict=True)]
    if out:
        save_results(out, results)
    if arguments.json:
        print_json(as_json(results, out))
    elif out:
        print_types(results)
        print(f"saved in {out}")
    else:
        print_results(results)
    return 0
