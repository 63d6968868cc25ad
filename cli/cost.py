"""`tensordraft cost`: what a run of a graph will cost, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..analysis.cost import Cost, cost as cost_of
from ..analysis.cost_page import cost_page
from ..analysis.cost_report import OpCost, rows_text, weight
from ..analysis.roofline import Machine
from ..formats.replacement import replacing
from ..runtime.suggestions import did_you_mean
from .command_parser import add_command
from .graph_file import GraphFile, add_fetch_argument, add_file_argument
from .out_files import out_file
from .output import Answer
from .shape_options import add_shape_argument, parse_size

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        cost,
        "what a run of a graph will cost: operations, bytes, memory",
        "Works out, without running anything, the operations on numbers, the bytes read and "
        "written, the parameters and the peak of memory of a graph: as numbers where all sizes are "
        "known, else as formulas of named sizes. A size of an input that has no name is called by "
        "the input and the axis, such as x.0.",
        [
            "model.pb --shape input_0=batch,64,64,3 --size batch=1..64",
            "model.pb --size batch=32 --by type",
            "model.pb --size batch=32 --html cost.html",
        ],
    )
    add_file_argument(parser)
    add_shape_argument(parser)
    parser.add_argument(
        "--size",
        metavar="NAME[=N]",
        action="append",
        default=[],
        type=parse_size,
        help="a number for a named size, or a range, such as batch=1..64; the name alone leaves it "
        "open; may be repeated",
    )
    add_fetch_argument(parser, "that is wanted")
    parser.add_argument("--by", choices=["scope", "type", "op"], help="list all that costs")
    parser.add_argument("--depth", type=int, default=1, help="how deep --by scope goes; default 1")
    parser.add_argument(
        "--html", metavar="FILE", type=out_file(".html"), help="save a page with pictures"
    )
    parser.add_argument(
        "--time", action="store_true", help="measure this machine, and predict how long a run takes"
    )


def cost(arguments: Namespace) -> Answer:
    """Works out what a run costs."""
    file = GraphFile(arguments.file)
    fetches = [file.element(name) for name in arguments.fetch or [op.name for op in file.outputs()]]
    open_sizes = {name for name, size in arguments.size if size is None}
    sizes = {name: size for name, size in arguments.size if size is not None}
    found = cost_of(file.graph, fetches, dict(arguments.shape), sizes)
    unknown = sorted(open_sizes - set(found.names))
    if unknown:
        there = f"; the named sizes of inputs are: {', '.join(found.names) or 'none'}"
        raise ValueError(
            f"no size is named {unknown[0]!r}{did_you_mean(unknown[0], found.names) or there}"
        )
    seconds = Machine.measured().seconds(found) if arguments.time else None
    if arguments.html:
        with replacing(arguments.html) as page:
            page.write(cost_page(found, file.title).encode())
    return Answer(
        lambda: _text(found, arguments, seconds), lambda: _json(found, arguments, seconds)
    )


def _text(found: Cost, arguments: Namespace, seconds: float | None) -> str:
    text = str(found)
    if arguments.by is not None:
        totals, _, _ = text.partition("\n\n")
        rows = rows_text(_rows(found, arguments.by, arguments.depth))
        text = "\n".join([totals, "", *rows])
    lines = [text]
    if seconds is not None:
        lines.append(f"time        {seconds * 1e3:.3g} ms, predicted")
    if arguments.html:
        lines.append(f"saved in {arguments.html}")
    return "\n".join(lines)


def _rows(found: Cost, by: str, depth: int) -> list[OpCost]:
    if by == "op":
        return found.by_op
    groups = found.by_scope(depth) if by == "scope" else found.by_type()
    return sorted(groups.values(), key=lambda row: weight(row.flops), reverse=True)


def _json(found: Cost, arguments: Namespace, seconds: float | None) -> dict[str, Any]:
    by = arguments.by or "op"
    rows = [{**row._asdict(), **_numbers(row)} for row in _rows(found, by, arguments.depth)]
    result = {
        "flops": _plain(found.flops),
        "bytes": _plain(found.bytes),
        "parameters": _plain(found.parameters),
        "peak_bytes": _plain(found.peak_bytes),
        "sizes": {name: _plain_size(size) for name, size in found.sizes.items()},
        "names": found.names,
        "uncounted": found.uncounted,
        f"by_{by}": rows,
    }
    return result if seconds is None else {**result, "seconds": seconds}


def _numbers(row: OpCost) -> dict[str, Any]:
    return {field: _plain(getattr(row, field)) for field in row._fields[2:]}


def _plain(value: Any) -> Any:
    """A number as it is, a range as a pair, a formula as text."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, int) else str(value)


def _plain_size(size: int | range) -> Any:
    return size if isinstance(size, int) else [size[0], size[-1]]
