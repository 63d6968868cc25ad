"""`tensordraft run`: computes tensors of a graph file."""

from __future__ import annotations

from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any

from ..graph.node import Operation, Tensor
from ..session.planner import needed_ops
from ..session.session import Session
from .feeds import parse_feed
from .graph_file import GraphFile, is_supported
from .results import as_json, print_results, print_types, result, save_results
from .text import print_json, table, tensor_type

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

_EPILOG = """\
examples:
  tensordraft run model.pb --feed input_0=batch.npz:input --fetch Identity
  tensordraft run sum.pb --feed x='[1, 2, 3]' --feed rate=0.5 --out result.npz
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "run",
        help="compute tensors of a graph file",
        description="Computes tensors of a graph file, and only what they need.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a GraphDef: .pb, or .pbtxt in text form")
    parser.add_argument(
        "--feed",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=parse_feed,
        help="what to feed the tensor NAME: file.npy, file.npz:key, or a JSON number, string or "
        "list; may be repeated",
    )
    parser.add_argument(
        "--fetch",
        metavar="NAME",
        action="append",
        help="a tensor to compute, or an op with all of its results; may be repeated; by default "
        "the outputs that `show` lists",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=_out_file,
        help="save the results under their names in FILE.npz (or a single one in FILE.npy) in "
        "place of printing them",
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=run)


def _out_file(path: str) -> str:
    if not path.endswith((".npz", ".npy")):
        raise ArgumentTypeError(f"{path!r} ends neither in .npz nor in .npy")
    return path


def run(arguments: Namespace) -> int:
    """Computes what is asked for, and prints or saves it; returns the exit code."""
    file = GraphFile(arguments.file)
    out: str | None = arguments.out
    feeds = {_fed(file, feed.name): feed.load() for feed in arguments.feed}
    names = arguments.fetch or [op.name for op in file.outputs()]
    fetches = list(dict.fromkeys([item for name in names for item in _fetched(file, name)]))
    tensors = sum(isinstance(item, Tensor) for item in fetches)
    if out and out.endswith(".npy") and tensors != 1:
        raise ValueError(f"{out}: holds one array, but {tensors} are fetched; use .npz")
    _check_runnable(fetches, list(feeds))
    with Session(graph=file.graph) as session:
        values = session.run(fetches, feeds)
    results = [result(*pair) for pair in zip(fetches, values, strict=True)]
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


def _fed(file: GraphFile, name: str) -> Tensor:
    """The tensor called `name`; of an op, its first result."""
    element = file.element(name)
    if isinstance(element, Operation):
        if not element.outputs:
            raise ValueError(f"{name!r} ({element.type}) has no result that could be fed")
        return element.outputs[0]
    return element


def _fetched(file: GraphFile, name: str) -> Sequence[Tensor | Operation]:
    """The tensor called `name`; of an op all results, or the op itself where it has none."""
    element = file.element(name)
    return (element.outputs or [element]) if isinstance(element, Operation) else [element]


def _check_runnable(fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor]) -> None:
    """Says in terms of the command line what is missing: ops, or inputs."""
    needed = needed_ops(fetches, feeds)
    unsupported = sorted({op.type for op in needed if not is_supported(op)})
    if unsupported:
        raise ValueError(f"this needs ops that are not supported: {', '.join(unsupported)}")
    missing = [
        (f"--feed {op.name}=…", tensor_type(op.outputs[0]))
        for op in needed
        if op.type in ("Placeholder", "PlaceholderV2")
    ]
    if missing:
        raise ValueError(f"inputs that are needed are not fed; add\n{table(missing, '  ')}")
