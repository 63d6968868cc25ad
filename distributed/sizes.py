"""Values of sizes in one run: the number of rows, and the chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ..graph.node import Tensor
from ..shape_inference.symbolic.symbolic import DimExpr, Symbol, as_symbol, evaluate, symbols_of
from .analysis import Analysis

Array = np.ndarray[Any, Any]


class RunSizes:
    """Values of the symbols of an analysis in a run.

    Args:
        analysis: the analysis.
        shapes: the shapes of the feeds, by tensor.

    Attributes:
        rows: the number of rows.

    Raises:
        ValueError: a shape does not fit, or two give different numbers of rows.
    """

    def __init__(self, analysis: Analysis, shapes: Mapping[Tensor, tuple[int, ...]]) -> None:
        self._analysis = analysis
        self._bound: dict[Symbol, int] = {}
        self.rows = 0
        rows: dict[int, str] = {}
        for tensor, shape in shapes.items():
            sizes = analysis.inference.shape(tensor).sizes
            if sizes is None:
                continue
            if len(sizes) != len(shape):
                raise _unfit(tensor, shape, analysis)
            for size, number in zip(sizes, shape, strict=True):
                if isinstance(size, int) and size != number:
                    raise _unfit(tensor, shape, analysis)
                symbol = as_symbol(size) if isinstance(size, DimExpr) else None
                if symbol is not None and symbol is not analysis.rows:
                    self._bound.setdefault(symbol, number)
        for tensor, shape in shapes.items():
            part = analysis.parts[tensor]
            if part.kind == "split":
                each = self.per_row(tensor, part.axis)
                if shape[part.axis] % each:
                    raise _unfit(tensor, shape, analysis)
                rows.setdefault(shape[part.axis] // each, tensor.name)
        if len(rows) > 1:
            numbers = " and ".join(f"{n} in {name!r}" for n, name in rows.items())
            raise ValueError(f"the size {analysis.along!r} has different values: {numbers}")
        self.rows = next(iter(rows), 0)

    def per_row(self, tensor: Tensor, axis: int) -> int:
        """Number of elements of an axis per row."""
        return self._number(self._analysis.per_row(tensor, axis), 1)

    def _number(self, size: Any, rows: int, before: int = 0) -> int:
        if isinstance(size, DimExpr):
            place = dict(zip(self._analysis.place, (before, self.rows), strict=True))
            return evaluate(size, {**self._bound, **place, self._analysis.rows: rows})
        return int(size)

    def shape(self, tensor: Tensor, rows: int) -> tuple[int | None, ...] | None:
        """The shape of a tensor for a number of rows; None for unknown sizes or an unknown rank."""
        sizes = self._analysis.inference.shape(tensor).sizes
        if sizes is None:
            return None
        bound_symbols = {*self._bound, self._analysis.rows}
        return tuple(
            [
                None
                if size is None
                or (isinstance(size, DimExpr) and not symbols_of(size) <= bound_symbols)
                else self._number(size, rows)
                for size in sizes
            ]
        )

    def own(self, tensor: Tensor, rows: int, before: int = 0) -> Array:
        """The elements of a tensor of sizes, for a number of rows and of rows before them."""
        value = self._analysis.values[tensor]
        numbers = [self._number(item, rows, before) for item in value.ravel().tolist()]
        return np.array(numbers, tensor.dtype.numpy_dtype).reshape(value.shape)


def even_chunks(rows: int, row_bytes: int, chunk_bytes: int) -> list[int]:
    """Splits rows into the fewest chunks below a size, as evenly as possible.

    Args:
        rows: the number of rows.
        row_bytes: the size of a row.
        chunk_bytes: the maximum size of a chunk.
    """
    each = max(1, chunk_bytes // max(1, row_bytes))
    number = max(1, -(-rows // each))
    return [rows // number + (i < rows % number) for i in range(number)]


def sliced(array: Any, axis: int, start: int, stop: int) -> Any:
    """Slices an array along an axis."""
    return array[(slice(None),) * axis + (slice(start, stop),)]


def starts(chunks: Sequence[int]) -> list[int]:
    """The first row of each chunk."""
    return [*accumulate(chunks, initial=0)][:-1]


def _unfit(tensor: Tensor, shape: tuple[int, ...], analysis: Analysis) -> ValueError:
    return ValueError(
        f"Cannot feed value of shape {shape} for Tensor {tensor.name!r}, which has shape "
        f"{analysis.inference.shape(tensor)}"
    )
