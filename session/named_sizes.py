"""Named sizes: within one run, a name is one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph.node import Tensor
from ..shape_inference.size_facts import broken_fact
from ..shape_inference.symbolic.atoms import Symbol
from ..shape_inference.symbolic.symbolic import DimExpr, as_symbol, evaluate, symbols_of

if TYPE_CHECKING:
    Shapes = Sequence[tuple[int, ...]]


class _Place(NamedTuple):
    """An axis of one of the tensors that are fed."""

    tensor: int
    axis: int


class NamedSizes:
    """Constraints on fed arrays from named sizes in the shapes of tensors.

    The first axis with a name binds it. The others are compared to that, and so are expressions of
    names that are all bound, such as `2*n`.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._tensors = tensors
        self._bound: dict[Symbol, _Place] = {}
        self._equal: list[tuple[int, int, int, int]] = []
        named = [
            (_Place(i, axis), size)
            for i, tensor in enumerate(tensors)
            for axis, size in enumerate(tensor.shape.sizes or ())
            if isinstance(size, DimExpr) and not size.is_anonymous()
        ]
        for place, size in named:
            symbol = as_symbol(size)
            if symbol is not None:
                first = self._bound.setdefault(symbol, place)
                if first is not place:
                    self._equal.append((*first, *place))
        self._facts = [
            (place, symbol)
            for symbol, place in self._bound.items()
            if symbol.lower or symbol.upper is not None or symbol.multiple_of > 1
        ]
        self._expressions = [
            (place, size)
            for place, size in named
            if as_symbol(size) is None and self._bound.keys() >= symbols_of(size)
        ]

    def __bool__(self) -> bool:
        return bool(self._equal or self._expressions or self._facts)

    def hold(self, arrays: Sequence[Any]) -> bool:
        """Quick check that equal names have equal numbers; False if only `check` can decide."""
        for i, axis, j, other in self._equal:
            if arrays[i].shape[axis] != arrays[j].shape[other]:
                return False
        for (i, axis), symbol in self._facts:
            if broken_fact(symbol, arrays[i].shape[axis]):
                return False
        return not self._expressions

    def check(self, shapes: Shapes) -> None:
        """Checks the shapes of what is fed, one for each tensor; their ranks are right already.

        Raises:
            ValueError: a name would have two values, or one that it cannot have.
        """
        for (i, axis), symbol in self._facts:
            broken = broken_fact(symbol, shapes[i][axis])
            if broken:
                tensor = self._tensors[i]
                raise ValueError(
                    f"cannot feed a value of shape {shapes[i]} for the tensor {tensor.name!r}, "
                    f"which has shape {tensor.shape}: {symbol.name} {broken}, got {shapes[i][axis]}"
                )
        for i, axis, j, other in self._equal:
            if shapes[i][axis] != shapes[j][other]:
                self._refuse(shapes, _Place(j, other))
        for place, size in self._expressions:
            values = {s: shapes[i][axis] for s, (i, axis) in self._bound.items()}
            if evaluate(size, values) != shapes[place.tensor][place.axis]:
                self._refuse(shapes, place)

    def _refuse(self, shapes: Shapes, place: _Place) -> None:
        tensor = self._tensors[place.tensor]
        size = (tensor.shape.sizes or ())[place.axis]
        symbols = symbols_of(size) if isinstance(size, DimExpr) else ()
        bound = [
            f"{symbol.name} = {shapes[first.tensor][first.axis]} in the value of shape "
            f"{shapes[first.tensor]} fed for {self._tensors[first.tensor].name!r}"
            for symbol, first in self._bound.items()
            if symbol in symbols
        ]
        raise ValueError(
            f"cannot feed a value of shape {shapes[place.tensor]} for the tensor {tensor.name!r}, "
            f"which has shape {tensor.shape}: {' and '.join(bound)}"
        )
