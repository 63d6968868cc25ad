"""`tensordraft cost`: predicts the cost of a run of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..analysis.cost import Cost, cost as cost_of
from ..analysis.cost_page import cost_page
from ..analysis.cost_report import OpCost, rows_text, weight
from ..analysis.roofline import Machine
from ..formats.replacement import replacing
from ..runtime.suggestions import did_you_mean
from .command_parser import add_command
from .graph_file import GraphFile, add_fetch_argument, add_model_arguments
from .out_files import out_file
from .output import Answer
from .shape_options import add_positive_argument, add_shape_argument, parse_size

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        cost,
        "predict the cost of a run of a graph: operations, bytes, memory",
        "Computes, without running anything, the floating-point operations, the bytes read and "
        "written, the parameters and the peak memory of a graph: as numbers if all sizes are "
        "known, otherwise as formulas of named sizes. An unnamed size of an input is named after "
        "the input and the axis, such as x.0.",
        [
            "model.pb --shape input_0=batch,64,64,3 --size batch=1..64",
            "model.pb --size batch=32 --by type",
            "model.pb --size batch=32 --html cost.html",
        ],
    )
    add_model_arguments(parser)
    add_shape_argument(parser)
    add_positive_argument(parser, "keeps more sizes through reshapes to -1")
    parser.add_argument(
        "--size",
        metavar="NAME[=N]",
        action="append",
        default=[],
        type=parse_size,
        help="a number for a named size, or a range, such as batch=1..64; a name without a value "
        "leaves it open; may be repeated",
    )
    add_fetch_argument(parser, "to compute")
    parser.add_argument("--by", choices=["scope", "type", "op"], help="list every item")
    parser.add_argument("--depth", type=int, default=1, help="depth of --by scope; default 1")
    parser.add_argument(
        "--html", metavar="FILE", type=out_file(".html"), help="save an HTML page with charts"
    )
    parser.add_argument(
        "--time", action="store_true", help="measure this machine and predict the time of a run"
    )


def cost(arguments: Namespace) -> Answer:
    """Computes the cost of a run."""
    file = GraphFile(arguments.file, arguments.signature)
    fetches = file.fetches(arguments.fetch)
    open_sizes = {name for name, size in arguments.size if size is None}
    sizes = {name: size for name, size in arguments.size if size is not None}
    costs = cost_of(
        file.graph, fetches, file.shapes(arguments.shape), sizes, positive=arguments.positive
    )
    unknown = sorted(open_sizes - set(costs.names))
    if unknown:
        names = f"; the named sizes of inputs are: {', '.join(costs.names) or 'none'}"
        raise ValueError(
            f"no size is named {unknown[0]!r}{did_you_mean(unknown[0], costs.names) or names}"
        )
    seconds = Machine.measured().seconds(costs) if arguments.time else None
    if arguments.html:
        with replacing(arguments.html) as page:
            page.write(cost_page(costs, file.title).encode())
    return Answer(
        lambda: _text(costs, arguments, seconds), lambda: _json(costs, arguments, seconds)
    )


def _text(costs: Cost, arguments: Namespace, seconds: float | None) -> str:
    text = str(costs)
    if arguments.by is not None:
        totals, _, _ = text.partition("\n\n")
        rows = rows_text(_rows(costs, arguments.by, arguments.depth))
        text = "\n".join([totals, "", *rows])
    lines = [text]
    if seconds is not None:
        lines.append(f"time        {seconds * 1e3:.3g} ms, predicted")
    if arguments.html:
        lines.append(f"saved in {arguments.html}")
    return "\n".join(lines)


def _rows(costs: Cost, by: str, depth: int) -> list[OpCost]:
    if by == "op":
        return costs.by_op
    groups = costs.by_scope(depth) if by == "scope" else costs.by_type()
    return sorted(groups.values(), key=lambda row: weight(row.flops), reverse=True)


def _json(costs: Cost, arguments: Namespace, seconds: float | None) -> dict[str, Any]:
    by = arguments.by or "op"
    rows = [{**row._asdict(), **_numbers(row)} for row in _rows(costs, by, arguments.depth)]
    result = {
        "flops": _plain(costs.flops),
        "bytes": _plain(costs.bytes),
        "parameters": _plain(costs.parameters),
        "peak_bytes": _plain(costs.peak_bytes),
        "sizes": {name: _plain_size(size) for name, size in costs.sizes.items()},
        "names": costs.names,
        "uncounted": costs.uncounted,
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
