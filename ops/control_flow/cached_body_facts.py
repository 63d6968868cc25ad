"""Cache of what inference found about loops and branches that were followed before.

An op in the body of a loop is followed in every attempt to find out what the loop keeps, and at
every level around it, while a graph is built, differentiated and planned. What is known of its
inputs is mostly what it was before, but for the symbols that stand for unknown sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...graph.bodies import Body, Known, bodies_not_looked_into
from ...shape_inference.handle_data import HandleData
from ...shape_inference.protocols import Array
from ...shape_inference.symbolic.atoms import Symbol
from ...shape_inference.symbolic.symbolic import (
    Dim,
    DimExpr,
    as_symbol,
    dim_symbol,
    substitute,
    symbols_of,
)
from ...shape_inference.tensor_shape import TensorShape

if TYPE_CHECKING:
    Found = TypeVar("Found", bound=tuple[Any, ...])

_MOST_ELEMENTS = 64
_MOST_REMEMBERED = 100


def followed_once(
    parts: Sequence[Body], start: Sequence[Known], follow: Callable[[], Found]
) -> Found:
    """Cached result of `follow` for functions with the given facts about their inputs.

    Args:
        parts: the functions; the last one keeps the cache.
        start: the facts about their inputs.
        follow: makes a tuple of lists, of what is known and of strings.
    """
    names = _Names()
    begun = tuple([names.of_known(known) for known in start])
    if None in begun:
        return follow()
    graphs: list[Any] = [part.graph for part in parts]
    key = begun, tuple([(g.version, *p.outputs) for g, p in zip(graphs, parts, strict=True)])
    remembered = graphs[-1].followed
    if key in remembered:
        before, facts = remembered[key]
        renamed = _Renaming(dict(zip(before, names.symbols, strict=True)))
        return type(facts)(*[[renamed.known(item) for item in some] for some in facts])
    refused = bodies_not_looked_into()
    facts = follow()
    if bodies_not_looked_into() == refused:
        if len(remembered) >= _MOST_REMEMBERED:
            remembered.clear()
        remembered[key] = list(names.symbols), facts
    return facts


class _Names:
    """Numbers symbols, so that two descriptions are equal that differ only in their symbols."""

    def __init__(self) -> None:
        self.symbols: dict[Symbol, int] = {}

    def of_known(self, known: Known) -> Hashable:
        """A description of what is known of a tensor; None if that is too much."""
        value = known.value
        if value is not None and value.size > _MOST_ELEMENTS:
            return None
        return self._shape(known.shape), self._value(value), self._content(known.content)

    def _value(self, value: Array | None) -> Hashable:
        if value is None or value.dtype != object:
            return None if value is None else (value.dtype.str, value.shape, value.tobytes())
        items = [(type(item), self._size(item)) for item in value.ravel().tolist()]
        return value.shape, tuple(items)

    def _content(self, content: HandleData | None) -> Hashable:
        if content is None:
            return None
        shapes = [self._shape(shape) for shape in (content.declared, content.element, content.key)]
        components = [self._content(component) for component in content.components]
        return content.dtype, *shapes, self._size(content.length), tuple(components)

    def _shape(self, shape: TensorShape | None) -> Hashable:
        if shape is None:
            return None
        return "?" if shape.sizes is None else tuple([self._size(size) for size in shape.sizes])

    def _size(self, size: Hashable) -> Hashable:
        if not isinstance(size, DimExpr):
            return size
        symbol = as_symbol(size)
        if symbol is not None:
            return self._symbol(symbol)
        inner = sorted(symbols_of(size), key=_serial)
        renamed = {symbol: dim_symbol(str(self._symbol(symbol))) for symbol in inner}
        return str(substitute(size, renamed))

    def _symbol(self, symbol: Symbol) -> Hashable:
        number = self.symbols.setdefault(symbol, len(self.symbols))
        return number, symbol.name, symbol.lower, symbol.upper


class _Renaming:
    """Substitutes symbols; those without a substitute get new ones."""

    def __init__(self, symbols: Mapping[Symbol, Symbol]) -> None:
        self._sizes: dict[Symbol, Dim] = {
            symbol: DimExpr({(other,): 1}) for symbol, other in symbols.items()
        }

    def known(self, known: Any) -> Any:
        """The facts about a tensor; a string stays."""
        if not isinstance(known, Known):
            return known
        value = known.value
        if value is not None and value.dtype == object:
            items = np.empty(value.size, object)
            items[:] = [self._size(item) for item in value.ravel().tolist()]
            value = items.reshape(value.shape)
        content = None if known.content is None else self._content(known.content)
        return Known(self._shape(known.shape), value, content)

    def _content(self, content: HandleData) -> HandleData:
        return content._replace(
            declared=self._shape(content.declared),
            element=self._shape(content.element),
            length=self._size(content.length),
            key=self._shape(content.key),
            components=tuple([self._content(item) for item in content.components]),
        )

    def _shape(self, shape: Any) -> Any:
        sizes = None if shape is None else shape.sizes
        if sizes is None or not any(isinstance(size, DimExpr) for size in sizes):
            return shape
        return TensorShape.of(tuple([self._size(size) for size in sizes]))

    def _size(self, size: Any) -> Any:
        if not isinstance(size, DimExpr):
            return size
        for symbol in symbols_of(size):
            if symbol.name is None and symbol not in self._sizes:
                self._sizes[symbol] = dim_symbol(None, symbol.lower, symbol.upper)
        return substitute(size, self._sizes)


def _serial(symbol: Symbol) -> str:
    return symbol.key
