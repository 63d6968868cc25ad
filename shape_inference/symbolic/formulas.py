"""Formulas: what follows from sizes, as the greatest of polynomials of any length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isinf

import numpy as np

from . import polynomials
from .atoms import Call, Symbol, interval_of
from .expressions import Dim, DimExpr, terms_of
from .polynomials import Polynomial
from .symbolic import substitute

_MOST_ALTERNATIVES = 64


class Formula:
    """A number that depends on named sizes: a polynomial, or the greatest of several.

    Unlike a size, it may have any number of terms; so costs of a whole graph are added up without
    losing anything. Every symbol in it is taken to be at least 1, so that what is never the
    greatest is known.

    Args:
        alternatives: the polynomials of which it is the greatest.

    Example:
        >>> from tensordraft.shape_inference.symbolic.formulas import Formula
        >>> from tensordraft.shape_inference.symbolic.symbolic import dim_symbol
        >>> n = Formula.of(dim_symbol("n"))
        >>> 3 * n * n + 5, Formula.greatest([n, n * n, n + 4])
        (3*n**2 + 5, max(n**2, n + 4))
        >>> (n * n).at({"n": 7}), (n * n).at({"n": range(1, 9)})
        (49, (1, 64))
    """

    __slots__ = ("_alternatives",)

    def __init__(self, alternatives: tuple[Polynomial, ...]) -> None:
        self._alternatives = alternatives

    @classmethod
    def of(cls, value: Formula | Dim) -> Formula:
        """A size as a formula."""
        return value if isinstance(value, Formula) else cls((terms_of(value),))

    @classmethod
    def product(cls, sizes: Iterable[Formula | Dim]) -> Formula:
        """The product of sizes; 1 if there are none."""
        result = cls.of(1)
        for size in sizes:
            result = result * size
        return result

    @classmethod
    def greatest(cls, values: Iterable[Formula | Dim]) -> Formula:
        """The greatest of several, without those that never are."""
        kept: list[Polynomial] = []
        for polynomial in (p for value in values for p in cls.of(value)._alternatives):
            if any(_is_at_least(other, polynomial) for other in kept):
                continue
            kept = [other for other in kept if not _is_at_least(polynomial, other)]
            kept.append(polynomial)
        return cls(tuple(kept[:_MOST_ALTERNATIVES]))

    def is_at_least(self, other: Formula | Dim) -> bool:
        """Returns whether this is known never to be less than `other`, for sizes from 1 on."""
        others = Formula.of(other)._alternatives
        return all(any(_is_at_least(x, y) for x in self._alternatives) for y in others)

    @property
    def names(self) -> set[str]:
        """The named sizes that it depends on."""
        return {symbol.name for symbol in self._symbols() if symbol.name is not None}

    @property
    def simplest(self) -> Formula | int:
        """The number, if it is one; else the formula."""
        if all(map(polynomials.is_constant, self._alternatives)):
            return max((p.get((), 0) for p in self._alternatives), default=0)
        return self

    def at(self, sizes: Mapping[str, int | range]) -> Formula | int | tuple[int, int]:
        """Evaluates the formula for given sizes.

        Args:
            sizes: by name, a number, or a range of numbers.

        Returns:
            A number; for ranges the least and the greatest one; a formula where a size is missing.
        """
        numbers = {name: size for name, size in sizes.items() if not isinstance(size, range)}
        ranges = {name: size for name, size in sizes.items() if isinstance(size, range)}
        fixed = self._with(numbers)
        if not ranges or not fixed.names:
            return fixed.simplest
        low = fixed._with({name: size[0] for name, size in ranges.items()}).simplest
        high = fixed._with({name: size[-1] for name, size in ranges.items()}).simplest
        if not isinstance(low, int) or not isinstance(high, int):
            return fixed
        if all(map(_is_monotone, fixed._alternatives)):
            return low, high
        bounds = [interval_of(_bounded(p, ranges)) for p in fixed._alternatives]
        least, most = max(low for low, _ in bounds), max(high for _, high in bounds)
        return fixed if isinf(least) or isinf(most) else (int(least), int(most))

    def __add__(self, other: Formula | Dim) -> Formula:
        if not _is_number(other):
            return NotImplemented
        return self._combined(other, polynomials.add)

    __radd__ = __add__

    def __sub__(self, other: Formula | Dim) -> Formula:
        """Less a polynomial: the greatest of several cannot be subtracted."""
        if not _is_number(other):
            return NotImplemented
        (less,) = Formula.of(other)._alternatives
        return Formula(tuple([polynomials.add(p, less, -1) for p in self._alternatives]))

    def __mul__(self, other: Formula | Dim) -> Formula:
        if not _is_number(other):
            return NotImplemented
        return self._combined(other, polynomials.multiply)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not _is_number(other):
            return NotImplemented
        theirs = Formula.of(other)._alternatives  # type: ignore[arg-type]
        mine = self._alternatives
        return len(mine) == len(theirs) and all(p in theirs for p in mine)

    def __hash__(self) -> int:
        return hash(frozenset(frozenset(p.items()) for p in self._alternatives))

    def __str__(self) -> str:
        texts = [polynomials.text_of(p, exact=False) for p in self._alternatives]
        return texts[0] if len(texts) == 1 else f"max({', '.join(texts)})"

    __repr__ = __str__

    def _combined(self, other: Formula | Dim, combine: object) -> Formula:
        pairs = [(x, y) for x in self._alternatives for y in Formula.of(other)._alternatives]
        made = tuple([combine(x, y) for x, y in pairs])  # type: ignore[operator]
        return Formula(made) if len(made) == 1 else Formula.greatest(map(_alone, made))

    def _with(self, numbers: Mapping[str, int]) -> Formula:
        known = {s: numbers[s.name] for s in self._symbols() if s.name and s.name in numbers}
        if not known:
            return self
        return Formula.greatest([_substituted(p, known) for p in self._alternatives])

    def _symbols(self) -> set[Symbol]:
        return {symbol for p in self._alternatives for symbol in _symbols_in(p)}


def _is_number(value: object) -> bool:
    return isinstance(value, (Formula, DimExpr, int, np.integer))


def _alone(polynomial: Polynomial) -> Formula:
    return Formula((polynomial,))


def _symbols_in(polynomial: Polynomial) -> Iterable[Symbol]:
    for atom in {atom for monomial in polynomial for atom in monomial}:
        if isinstance(atom, Symbol):
            yield atom
        elif isinstance(atom, Call):
            for argument in atom.arguments:
                yield from _symbols_in(argument)


def _substituted(polynomial: Polynomial, known: Mapping[Symbol, int]) -> Formula:
    total = Formula.of(0)
    for monomial, coefficient in polynomial.items():
        term = Formula.of(coefficient)
        for atom in monomial:
            term = term * substitute(DimExpr({(atom,): 1}), known)
        total = total + term
    return total


def _is_at_least(x: Polynomial, y: Polynomial) -> bool:
    """Returns whether `x - y` has no negative term if every atom is at least its least value."""
    difference = polynomials.add(x, y, -1)
    if all(c >= 0 for c in difference.values()):
        return True
    if interval_of(difference)[0] >= 0:
        return True
    shifted: Polynomial = {}
    for monomial, coefficient in difference.items():
        term = polynomials.constant(coefficient)
        for atom in monomial:
            if isinf(atom.interval[0]):
                return False
            least = max(int(atom.interval[0]), isinstance(atom, Symbol), 0)
            term = polynomials.multiply(term, {(atom,): 1, **polynomials.constant(least)})
        shifted = polynomials.add(shifted, term)
    return all(c >= 0 for c in shifted.values())


def _is_monotone(polynomial: Polynomial) -> bool:
    """Returns whether it grows with every symbol: no term is subtracted, and no call can shrink."""
    return all(c >= 0 for c in polynomial.values()) and all(
        _call_is_monotone(atom) for monomial in polynomial for atom in monomial
    )


def _call_is_monotone(atom: object) -> bool:
    if not isinstance(atom, Call):
        return True
    first, *others = atom.arguments
    if atom.function == "//":
        return _is_monotone(first) and all(map(polynomials.is_constant, others))
    return atom.function in ("min", "max") and all(map(_is_monotone, atom.arguments))


def _bounded(polynomial: Polynomial, ranges: Mapping[str, range]) -> Polynomial:
    """The polynomial, whose symbols know their ranges."""
    known = {
        symbol: DimExpr({(Symbol(symbol.name, span[0], span[-1]),): 1})
        for symbol in _symbols_in(polynomial)
        if symbol.name and (span := ranges.get(symbol.name))
    }
    total: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        term = polynomials.constant(coefficient)
        for atom in monomial:
            term = polynomials.multiply(term, terms_of(substitute(DimExpr({(atom,): 1}), known)))
        total = polynomials.add(total, term)
    return total
