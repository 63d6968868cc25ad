"""`tensordraft cost`: what a run of a graph will cost, before it runs."""

from __future__ import annotations

from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any

from ..analysis.cost import cost
from ..analysis.cost_page import cost_page
from ..analysis.cost_report import rows_text, weight
from ..analysis.roofline import Machine
from ..graph.files.replacement import replacing
from .check import add_shape_argument
from .graph_file import GraphFile, add_file_argument
from .text import print_json, printable

if TYPE_CHECKING:
    from argparse import Namespace

    from ..analysis.cost import Cost
    from ..analysis.cost_report import OpCost

_EXAMPLES = """\
examples:
  tensordraft cost model.pb --shape input_0=batch,64,64,3 --size batch=1..64
  tensordraft cost model.pb --size batch=32 --by type
  tensordraft cost model.pb --size batch=32 --html cost.html
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = commands.add_parser(
        "cost",
        help="what a run of a graph will cost: operations, bytes, memory",
        description=(
            "Works out, without running anything, the operations on numbers, the bytes read and "
            "written, the parameters and the peak of memory of a graph: as numbers where all sizes "
            "are known, else as formulas of named sizes. A size of an input that has no name is "
            "called by the input and the axis, such as x.0."
        ),
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
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
    parser.add_argument(
        "--fetch",
        metavar="NAME",
        action="append",
        help="a tensor or op that is wanted; may be repeated; by default the outputs that `show` "
        "lists",
    )
    parser.add_argument("--by", choices=["scope", "type", "op"], help="list all that costs")
    parser.add_argument("--depth", type=int, default=1, help="how deep --by scope goes; default 1")
    parser.add_argument("--html", metavar="FILE", help="save a page with pictures")
    parser.add_argument(
        "--time", action="store_true", help="measure this machine, and predict how long a run takes"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=show_cost)


def parse_size(text: str) -> tuple[str, int | range | None]:
    """The name of a size, and what it is: a number, a range, or open.

    Raises:
        ArgumentTypeError: the text states none.

    Example:
        >>> from tensordraft.cli.cost import parse_size
        >>> parse_size("batch=32"), parse_size("batch=1..64"), parse_size("seq")
        (('batch', 32), ('batch', range(1, 65)), ('seq', None))
    """
    name, equals, value = text.partition("=")
    low, dots, high = value.partition("..")
    numbers = [low, high] if dots else [low]
    if not name or (equals and not all(_is_number(number) for number in numbers)):
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=N, NAME=N..N or NAME")
    if not equals:
        return name, None
    if dots and int(low) > int(high):
        raise ArgumentTypeError(f"the range {value} of {name} ends before it begins")
    return name, range(int(low), int(high) + 1) if dots else int(low)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def show_cost(arguments: Namespace) -> int:
    """Prints what a run of `arguments.file` costs; returns the exit code."""
    file = GraphFile(arguments.file)
    fetches = [file.element(name) for name in arguments.fetch or [op.name for op in file.outputs()]]
    open_sizes = {name for name, size in arguments.size if size is None}
    sizes = {name: size for name, size in arguments.size if size is not None}
    found = cost(file.graph, fetches, dict(arguments.shape), sizes)
    unknown = sorted(open_sizes - set(found.names))
    if unknown:
        raise ValueError(
            f"no size is named {unknown[0]!r}; the named sizes of inputs are: "
            f"{', '.join(found.names) or 'none'}"
        )
    seconds = Machine.measured().seconds(found) if arguments.time else None
    if arguments.html:
        with replacing(arguments.html) as page:
            page.write(cost_page(found, arguments.file).encode())
    if arguments.json:
        print_json(_json(found, arguments, seconds))
        return 0
    print("\n".join(map(printable, _text(found, arguments).splitlines())))
    if seconds is not None:
        print(f"time        {seconds * 1e3:.3g} ms, predicted")
    if arguments.html:
        print(f"saved in {arguments.html}")
    return 0


def _text(found: Cost, arguments: Namespace) -> str:
    if arguments.by is None:
        return str(found)
    totals, _, _ = str(found).partition("\n\n")
    return "\n".join([totals, "", *rows_text(_rows(found, arguments.by, arguments.depth))])


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
