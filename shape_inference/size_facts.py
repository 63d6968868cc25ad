"""Facts about named sizes: bounds and divisors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .dimension import Dimension
from .symbolic.atoms import Symbol
from .symbolic.symbolic import Dim, DimExpr, dim_symbol, substitute, symbols_of
from .tensor_shape import TensorShape

public = {"td": "Size"}

_KEYS = ("min", "max", "multiple_of")


class Size(Dimension):
    """A named size of which more is known: a dimension of a shape.

    Facts hold for all sizes of that name that are computed from the tensor whose shape
    says it. Inference uses it, a run checks it of what is fed, and files keep it.

    Args:
        name: the name.
        min: the least number it can be.
        max: the greatest number it can be.
        multiple_of: a number that divides it.

    Raises:
        TypeError: the name is not text, or a number not an integer.
        ValueError: the name is empty; a number is negative, `multiple_of` is not positive, or no
            number fits.

    Example:
        >>> seq = td.Size("seq", max=512, multiple_of=8)
        >>> x = td.placeholder(td.float32, ["batch", seq, 64])
        >>> tiles = td.reshape(x, [-1, 8, 64])
        >>> str(tiles.shape), str(td.reshape(tiles, [-1, 64]).shape)
        ('(batch*(seq//8), 8, 64)', '(batch*seq, 64)')
    """

    __slots__ = ()

    def __init__(
        self, name: str, *, min: int = 0, max: int | None = None, multiple_of: int = 1
    ) -> None:
        super().__init__(DimExpr({(symbol_with(name, min, max, multiple_of),): 1}))


def symbol_with(name: Any, least: Any, greatest: Any, multiple_of: Any) -> Symbol:
    """The symbol of a named size.

    Raises:
        TypeError, ValueError: as for `Size`.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a size must be a str, got {name!r}")
    for what, number in (("min", least), ("max", greatest), ("multiple_of", multiple_of)):
        if not (type(number) is int or (what == "max" and number is None)):
            raise TypeError(f"{what} of the size {name!r} must be an int, got {number!r}")
    if least < 0 or multiple_of < 1 or (greatest is not None and greatest < least):
        raise ValueError(
            f"the size {name!r} must have 0 <= min <= max and multiple_of >= 1, got min = {least}, "
            f"max = {greatest}, multiple_of = {multiple_of}"
        )
    least = -(-least // multiple_of) * multiple_of
    greatest = None if greatest is None else greatest // multiple_of * multiple_of
    if greatest is not None and greatest < least:
        raise ValueError(
            f"the size {name!r} can be no number: no multiple of {multiple_of} is in its range"
        )
    return Symbol(name, least, greatest, multiple_of)


def positive_size(size: Dim) -> Dim:
    """The size, with the fact that no symbol in it is 0.

    Raises:
        ValueError: it is 0, or known facts leave only 0.
    """
    if size == 0:
        raise ValueError("a size is 0, where all are to be positive")
    symbols = [symbol for symbol in symbols_of(size) if symbol.lower is None or symbol.lower < 1]
    return substitute(size, {symbol: DimExpr({(_positive(symbol),): 1}) for symbol in symbols})


def _positive(symbol: Symbol) -> Symbol:
    if symbol.name is None:
        return Symbol(None, 1, symbol.upper)
    return symbol_with(symbol.name, 1, symbol.upper, symbol.multiple_of)


def positive_shape(shape: TensorShape, name: str) -> TensorShape:
    """The shape, with the fact that no size is 0.

    Args:
        shape: the shape.
        name: of the input; a size without a name is called by it and its axis: `x.0`.

    Raises:
        ValueError: a size is 0.
    """
    if shape.sizes is None:
        return shape
    sizes = [
        dim_symbol(f"{name}.{axis}") if size is None else size
        for axis, size in enumerate(shape.sizes)
    ]
    return TensorShape.of(tuple(map(positive_size, sizes)))


def broken_fact(symbol: Symbol, size: int) -> str:
    """Facts about a named size that a number violates; "" if none."""
    if symbol.lower is not None and size < symbol.lower:
        return f"must be at least {symbol.lower}"
    if symbol.upper is not None and size > symbol.upper:
        return f"must be at most {symbol.upper}"
    return f"must be a multiple of {symbol.multiple_of}" if size % symbol.multiple_of else ""


def encoded_facts(shapes: Iterable[TensorShape]) -> bytes:
    """Facts about the named sizes in shapes, as stored in files; empty if there are none."""
    facts = {}
    for symbol in sorted(_named(shapes), key=lambda symbol: symbol.key):
        known = {"min": symbol.lower or 0, "max": symbol.upper, "multiple_of": symbol.multiple_of}
        entries = {key: known[key] for key in _KEYS if known[key] != _NOTHING[key]}
        if entries:
            facts[symbol.name] = entries
    return json.dumps(facts).encode() if facts else b""


_NOTHING = {"min": 0, "max": None, "multiple_of": 1}


def decoded_facts(text: bytes) -> dict[Symbol, Symbol]:
    """The symbols of which a file says that more is known, by themselves.

    Raises:
        ValueError: it is malformed.
    """
    try:
        facts = json.loads(text)
        symbols = [
            symbol_with(name, *[{**_NOTHING, **entries}[key] for key in _KEYS])
            for name, entries in facts.items()
            if not entries.keys() - _NOTHING.keys()
        ]
        if len(symbols) < len(facts):
            raise ValueError(f"known are {', '.join(_KEYS)}")
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"_size_facts is malformed: {error}") from None
    return {symbol: symbol for symbol in symbols}


def with_facts(shape: TensorShape, facts: Mapping[Symbol, Symbol]) -> TensorShape:
    """Shape with the facts about its named sizes."""
    if shape.sizes is None:
        return shape
    known = {symbol: DimExpr({(fuller,): 1}) for symbol, fuller in facts.items()}
    sizes = [None if size is None else substitute(size, known) for size in shape.sizes]
    return TensorShape.of(tuple(sizes))


def symbols_in(shapes: Iterable[TensorShape]) -> set[Symbol]:
    """The symbols of all sizes of some shapes."""
    return {
        symbol
        for shape in shapes
        for size in shape.sizes or ()
        if isinstance(size, DimExpr)
        for symbol in symbols_of(size)
    }


def _named(shapes: Iterable[TensorShape]) -> set[Symbol]:
    return {symbol for symbol in symbols_in(shapes) if symbol.name is not None}
