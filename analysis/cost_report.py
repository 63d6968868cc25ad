"""Cost of one op, and the formatting of costs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..shape_inference.symbolic.formulas import Formula

_LONGEST = 60


Amount = Any
"""Value of a formula at the known sizes: an int, a pair of ints, or a formula."""


class OpCost(NamedTuple):
    """Cost of one op in a run; numbers where all sizes are known, else formulas.

    Attributes:
        name: the op; of one in the body of a loop or branch, behind the name of the op around it.
        type: the type of the op.
        flops: operations on numbers; a multiplication and an addition are two.
        bytes: bytes read and written.
        read: bytes read.
        written: bytes written; a view of an input writes and reads nothing.
        live: bytes that are alive while it runs.
        products: whether it is one op whose operations are those of products of matrices.
    """

    name: str
    type: str
    flops: Amount
    bytes: Amount
    read: Amount
    written: Amount
    live: Amount
    products: bool = False


def rows_text(rows: Iterable[OpCost]) -> list[str]:
    """Rows as lines with aligned columns."""
    table = [("operations", "bytes", "op")]
    table += [(amount(row.flops), amount(row.bytes), f"{row.name} ({row.type})") for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(2)]
    return [f"{a:>{widths[0]}}  {b:>{widths[1]}}  {c}" for a, b, c in table]


def amount(value: Amount) -> str:
    """A number with its groups of digits, a range, or a formula, cut where it is long.

    Example:
        >>> from tensordraft.analysis.cost_report import amount
        >>> amount(1234567), amount((1, 2000))
        ('1,234,567', '1 .. 2,000')
    """
    if isinstance(value, tuple):
        return f"{value[0]:,} .. {value[1]:,}"
    if isinstance(value, Formula):
        text = str(value)
        return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"{value:,}"


def size_text(value: int | range) -> str:
    """A number, or the ends of a range."""
    return str(value) if isinstance(value, int) else f"{value[0]}..{value[-1]}"


def weight(value: Any) -> int:
    """A number to order costs by: a formula at sizes of 16, the greater end of a range."""
    if isinstance(value, tuple):
        return int(value[1])
    if isinstance(value, Formula):
        example = value.at(dict.fromkeys(value.names, 16))
        return example if isinstance(example, int) else 0
    return int(value)
