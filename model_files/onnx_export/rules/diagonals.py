"""Diagonals of matrices: written to, read, replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..writing.calls import TO_END, Call
from ..writing.registry import rule
from ..writing.values import Value


def _limits(c: Call, i: int) -> tuple[int, int]:
    """The lowest and the highest of the diagonals that an op is about."""
    if len(c.op.inputs) <= i:
        return 0, 0
    k = c.required(i, "the numbers of the diagonals").ravel().tolist()
    return int(k[0]), int(k[-1])


def _numbers(c: Call, size: Value) -> Value:
    return c.numbers(c.scalar(size))


def _sizes(c: Call, value: Value) -> tuple[Value, Value]:
    """The numbers of rows and columns of matrices."""
    shape = c.shape_of(value)
    return c.slice(shape, [-2], [-1]), c.slice(shape, [-1], [TO_END])


def _places(c: Call, rows: Value, columns: Value, low: int, high: int, width: Value) -> Any:
    """For each place of a matrix, that in the diagonals; and which ones are on a diagonal."""
    row, column = c.unsqueeze(_numbers(c, rows), 1), c.unsqueeze(_numbers(c, columns), 0)
    number = column - row
    inside = (number >= low) & (number <= high)
    left_super, left_sub = _alignment(c)
    zero = c.constant(0, "int64")
    along = c.node("Min", row + c.node("Min", number, zero), column)
    shift = width - _length(c, rows, columns, number)
    along = along + c.where(number >= 0, zero if left_super else shift, zero if left_sub else shift)
    return inside, high - number, along


def _length(c: Call, rows: Value, columns: Value, number: Value) -> Value:
    """The length of diagonals."""
    zero = c.constant(0, "int64")
    return c.node("Min", rows + c.node("Min", number, zero), columns - c.node("Max", number, zero))


def _alignment(c: Call) -> tuple[bool, bool]:
    """Flags for diagonals above, and below, that are aligned to the left."""
    above, below = c.attr("align", "LEFT_LEFT").split("_")
    return above == "LEFT", below == "LEFT"


def _longest(c: Call, rows: Value, columns: Value, low: int, high: int) -> Value:
    """The length of the longest of several diagonals."""
    return c.node("Min", rows + c.ints([min(high, 0)]), columns - c.ints([max(low, 0)]))


def _spread(
    c: Call, diagonals: Value, rank: int, inside: Value, which: Value, along: Value
) -> Value:
    """Diagonals in the places of a matrix; elsewhere anything."""
    zero = c.constant(0, "int64")
    pairs = [c.unsqueeze(c.where(inside, item, zero), -1) for item in (which, along)]
    order = [rank - 2, rank - 1, *range(rank - 2)]
    whole = c.node("Max", pairs[0], pairs[1] * 0)
    pairs = [c.node("Max", part + whole * 0, zero) for part in pairs]
    picked = c.node("GatherND", c.transpose(diagonals, order), c.concat(pairs, 2))
    return c.transpose(picked, [*range(2, rank), 0, 1])


@rule("MatrixDiag MatrixDiagV2 MatrixDiagV3 BatchMatrixDiag", nodes="Range, GatherND, Where")
def _matrix_diag(c: Call) -> Value:
    low, high = _limits(c, 1)
    rank = c.rank()
    diagonals = c.x
    if low == high:
        diagonals = c.unsqueeze(diagonals, -2)
        rank += 1
    width = c.slice(c.shape_of(c.x), [-1], [TO_END])
    rows, columns = _wanted_sizes(c, width, low, high)
    inside, which, along = _places(c, rows, columns, low, high, width)
    filler = c.inputs[4] if len(c.op.inputs) > 4 else c.zero(c.dtype())
    return c.where(inside, _spread(c, diagonals, rank, inside, which, along), filler)


def _wanted_sizes(c: Call, width: Value, low: int, high: int) -> tuple[Value, Value]:
    given = [-1, -1]
    if len(c.op.inputs) > 3:
        given = [int(c.required(i, "the size").item()) for i in (2, 3)]
    least = (width + c.ints([max(-high, 0)]), width + c.ints([max(low, 0)]))
    rows, columns = (least[i] if given[i] == -1 else c.ints([given[i]]) for i in (0, 1))
    if given == [-1, -1]:
        rows = columns = c.node("Max", rows, columns)
    return rows, columns


@rule(
    "MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 BatchMatrixDiagPart", nodes="Range, GatherND"
)
def _matrix_diag_part(c: Call) -> Value:
    low, high = _limits(c, 1)
    rank = c.rank()
    rows, columns = _sizes(c, c.x)
    width = _longest(c, rows, columns, low, high)
    along = c.unsqueeze(_numbers(c, width), 0)
    number = c.constant(np.arange(high, low - 1, -1).reshape(-1, 1), "int64")
    length = _length(c, rows, columns, number)
    zero = c.constant(0, "int64")
    left_super, left_sub = _alignment(c)
    shift = width - length
    place = along - c.where(number >= 0, zero if left_super else shift, zero if left_sub else shift)
    inside = (place >= 0) & (place < length)
    place = c.where(inside, place, zero)
    row, column = place - c.node("Min", number, zero), place + c.node("Max", number, zero)
    pairs = c.concat([c.unsqueeze(row, -1), c.unsqueeze(column, -1)], 2)
    order = [rank - 2, rank - 1, *range(rank - 2)]
    row_limit = c.node("Max", rows - 1, zero)
    picked = c.node(
        "GatherND",
        c.transpose(c.x, order),
        c.node("Min", pairs, c.concat([row_limit, c.node("Max", columns - 1, zero)])),
    )
    result = c.transpose(picked, [*range(2, rank), 0, 1])
    if low != high or len(c.op.inputs) > 2:
        filler = c.inputs[2] if len(c.op.inputs) > 2 else c.zero(c.dtype())
        result = c.where(inside, result, filler)
    return c.squeeze(result, -2) if low == high else result


@rule(
    "MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 BatchMatrixSetDiag",
    nodes="Range, GatherND, Where",
)
def _matrix_set_diag(c: Call) -> Value:
    low, high = _limits(c, 2)
    rank = c.rank()
    diagonals = c.inputs[1]
    width = c.slice(c.shape_of(diagonals), [-1], [TO_END])
    if low == high:
        diagonals = c.unsqueeze(diagonals, -2)
    rows, columns = _sizes(c, c.x)
    inside, which, along = _places(c, rows, columns, low, high, width)
    return c.where(inside, _spread(c, diagonals, rank, inside, which, along), c.x)
