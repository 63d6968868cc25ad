"""Shapes that a graph has seen, and what was inferred of them: nothing here belongs to an op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from .symbolic.symbolic import dim_symbol
from .tensor_shape import TensorShape

_SIZES_END = 2**63

Inferred: TypeAlias = "tuple[TensorShape, Sequence[int] | None, list[TensorShape]]"
"""The shape of an op's only output; which inputs must have few elements for it to have few, if it
may; and the shapes of the inputs, which are kept so that their ids stay theirs."""


class SeenShapes:
    """The shapes of a graph, of which those of the same sizes are one object.

    So what was inferred of a shape is found by its id, and serves for the next op of that kind.

    Attributes:
        inferred: what was inferred, by definition and ids of the shapes of the inputs.
    """

    def __init__(self) -> None:
        self.inferred: dict[tuple[Any, ...], Inferred] = {}
        self._settled: dict[tuple[Any, ...], TensorShape] = {}

    def one(self, shape: TensorShape) -> TensorShape:
        """Canonical object of `shape`, with a symbol for every unknown size.

        Raises:
            ValueError: a size does not fit in 64 bits.
        """
        sizes = shape.sizes
        if sizes is None:
            return shape
        known = self._settled.get(sizes)
        if known is not None:
            return known
        if any(type(n) is int and n >= _SIZES_END for n in sizes):
            raise ValueError(f"a size of the shape {shape} does not fit in 64 bits")
        if None not in sizes:
            self._settled[sizes] = shape
        return identified(shape)


def identified(shape: TensorShape) -> TensorShape:
    """`shape` with a symbol for every unknown size."""
    sizes = shape.sizes
    if sizes is None or None not in sizes:
        return shape
    return TensorShape.of(tuple(dim_symbol() if size is None else size for size in sizes))
