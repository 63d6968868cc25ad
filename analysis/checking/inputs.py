"""The sizes of inputs in a check: their names, their numbers, and that none of them is 0."""

from __future__ import annotations

from collections.abc import Mapping

from ...graph.node import Operation, Tensor
from ...runtime.suggestions import did_you_mean
from ...shape_inference.inference import Inference
from ...shape_inference.size_facts import positive_size
from ...shape_inference.symbolic.symbolic import (
    Dim,
    DimExpr,
    Symbol,
    dim_symbol,
    substitute,
    symbols_of,
)
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Input


class InputSizes:
    """Statements on the sizes of all inputs.

    Args:
        numbers: for sizes, by name; that of an unnamed one consists of its input and axis: `x.0`.
        positive: whether no size is 0.
    """

    def __init__(self, numbers: Mapping[str, int], positive: bool) -> None:
        self._numbers = numbers
        self._positive = positive
        self._names: set[str] = set()

    def of(self, tensor: Tensor, shape: TensorShape) -> TensorShape:
        """The shape of an input under these statements.

        Raises:
            ValueError: a size is 0, or not what facts say of it.
        """
        if shape.sizes is None or not (self._numbers or self._positive):
            return shape
        sizes: list[Dim | None] = []
        for size, named in zip(shape.sizes, with_names(shape, tensor), strict=True):
            symbols = symbols_of(named)
            self._names.update(symbol.name for symbol in symbols if symbol.name is not None)
            known: dict[Symbol, Dim] = {
                symbol: self._numbers[symbol.name]
                for symbol in symbols
                if symbol.name is not None and symbol.name in self._numbers
            }
            if self._positive:
                sizes.append(positive_size(substitute(named, known)))
            else:
                sizes.append(substitute(named, known) if known else size)
        return TensorShape.of(tuple(sizes))

    def check_used(self) -> None:
        """Makes sure that each number is for a size that there is.

        Raises:
            ValueError: one is not.
        """
        for name in self._numbers:
            if name not in self._names:
                there = f"; the sizes of inputs are {', '.join(sorted(self._names)) or 'all known'}"
                hint = did_you_mean(name, sorted(self._names)) or there
                raise ValueError(f"no size of an input is named {name!r}{hint}")


def is_input(op: Operation) -> bool:
    """Returns True for ops that are fed: placeholders and the like."""
    return isinstance(op.definition.traits, Input)


def with_names(shape: TensorShape, tensor: Tensor) -> list[Dim]:
    """The sizes of an input; an unnamed size is named after the input and its axis.

    Args:
        shape: what is known of its shape; the rank is.
        tensor: the input.
    """
    label = tensor.op.name if tensor.value_index == 0 else tensor.name
    return [_named(size, f"{label}.{axis}") for axis, size in enumerate(shape.sizes or ())]


def _named(size: Dim | None, name: str) -> Dim:
    anonymous = size is None or (isinstance(size, DimExpr) and size.is_anonymous())
    return dim_symbol(name) if anonymous or size is None else size


class ShownSizes:
    """The names by which a report shows sizes that have none.

    The size of an input is called by the input and its axis, as `--size` calls it: `x.0`. Others
    are numbered as they appear: `?1`.
    """

    def __init__(self) -> None:
        self._names: dict[Symbol, Dim] = {}
        self._numbered = 0

    def add_input(self, tensor: Tensor, inference: Inference) -> None:
        """Names the unnamed sizes of an input."""
        shape = inference.shape(tensor)
        for size, named in zip(shape.sizes or (), with_names(shape, tensor), strict=True):
            if isinstance(size, DimExpr) and size.is_anonymous():
                [symbol, *others] = symbols_of(size)
                if not others:
                    self._names.setdefault(symbol, named)

    def shape(self, shape: TensorShape) -> TensorShape:
        """The shape as the report shows it."""
        if shape.sizes is None or not any(map(_is_anonymous, shape.sizes)):
            return shape
        sizes = [None if size is None else self.size(size) for size in shape.sizes]
        return TensorShape.of(tuple(sizes))

    def size(self, size: Dim) -> Dim:
        """The size as the report shows it."""
        unnamed = [symbol for symbol in symbols_of(size) if symbol.name is None]
        if not unnamed:
            return size
        for symbol in sorted(unnamed, key=lambda symbol: (len(symbol.key), symbol.key)):
            if symbol not in self._names:
                self._numbered += 1
                name = f"?{self._numbered}"
                self._names[symbol] = dim_symbol(name, symbol.lower, symbol.upper)
        return substitute(size, {symbol: self._names[symbol] for symbol in unnamed})


def _is_anonymous(size: Dim | None) -> bool:
    return isinstance(size, DimExpr) and size.is_anonymous()
