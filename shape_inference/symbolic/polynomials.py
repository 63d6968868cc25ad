"""Polynomials with integer coefficients, as plain dictionaries from monomial to coefficient.

A monomial is the sorted tuple of its atoms, each repeated by its power; the constant
term has the empty monomial. No coefficient is zero, so equal polynomials are equal dictionaries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import groupby
from math import gcd
from operator import attrgetter
from typing import TypeAlias

from . import intervals
from .intervals import Interval

_MOST_TERMS = 16
_HIGHEST_DEGREE = 8
_LARGEST_COEFFICIENT = 2**63
_MOST_DIVISION_STEPS = 64
_LARGEST_WEIGHT = 64


class Atom(ABC):
    """Indeterminate of polynomials: a value in every run, compared by key.

    Attributes:
        key: Text that no other atom has; it orders the atoms of a monomial.
        interval: The bounds of the value.
        depth: How deeply calls are nested in it; 0 for a symbol.
        weight: How many atoms it is made of, itself included.
        is_anonymous: Whether it contains a symbol that has no name.
    """

    __slots__ = ("_hash", "depth", "interval", "is_anonymous", "key", "weight")

    def __init__(
        self, key: str, interval: Interval, *, depth: int, weight: int, is_anonymous: bool
    ) -> None:
        self.key = key
        self._hash = hash(key)
        self.interval = interval
        self.depth = depth
        self.weight = weight
        self.is_anonymous = is_anonymous

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Atom) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @abstractmethod
    def text(self, *, exact: bool) -> str:
        """Returns the key when exact, else what a reader should see."""

    @property
    def is_infix(self) -> bool:
        """True if the text needs parentheses inside a product."""
        return False


Monomial: TypeAlias = tuple[Atom, ...]
Polynomial: TypeAlias = dict[Monomial, int]

_by_key = attrgetter("key")


def constant(value: int) -> Polynomial:
    """Returns the polynomial that is this number."""
    return {(): value} if value else {}


def is_constant(x: Polynomial) -> bool:
    """Returns whether the polynomial is a number."""
    return not x or (len(x) == 1 and () in x)


def add(x: Polynomial, y: Polynomial, factor: int = 1) -> Polynomial:
    """Returns `x + factor * y`."""
    total = x.copy()
    for monomial, coefficient in y.items():
        merged = total.get(monomial, 0) + factor * coefficient
        if merged:
            total[monomial] = merged
        else:
            total.pop(monomial, None)
    return total


def scale(x: Polynomial, factor: int) -> Polynomial:
    """Returns `factor * x`."""
    return {monomial: factor * c for monomial, c in x.items()} if factor else {}


def multiply(x: Polynomial, y: Polynomial) -> Polynomial:
    """Returns `x * y`."""
    total: Polynomial = {}
    for left, c in x.items():
        shifted = {_joined(left, right): c * d for right, d in y.items()}
        total = add(total, shifted) if total else shifted
    return total


def divide(x: Polynomial, y: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Returns `(q, r)` with `x == q * y + r`, where no term of `r` can be divided on.

    `r` is empty wherever an exact quotient exists. A positive constant divisor leaves the constant
    of `r` in `[0, y)`.
    """
    if is_constant(y):
        return _divide_by_int(x, y[()])
    lead = max(y, key=_order)
    quotient: Polynomial = {}
    remainder: Polynomial = {}
    rest = x
    for _ in range(_MOST_DIVISION_STEPS):
        if not rest:
            return quotient, remainder
        monomial = max(rest, key=_order)
        factor, misfit = divmod(rest[monomial], y[lead])
        ratio = _ratio(monomial, lead)
        if misfit or ratio is None:
            rest = rest.copy()
            remainder[monomial] = rest.pop(monomial)
        else:
            quotient[ratio] = factor
            rest = add(rest, multiply({ratio: factor}, y), -1)
    return {}, x


def content(*polynomials: Polynomial) -> int:
    """Returns the largest integer that divides every coefficient."""
    return gcd(*(c for polynomial in polynomials for c in polynomial.values()))


def common_factor(*polynomials: Polynomial) -> Polynomial:
    """Returns the largest term that divides every given term."""
    number = content(*polynomials)
    if any(() in polynomial for polynomial in polynomials):
        return {(): number}
    monomials = [monomial for polynomial in polynomials for monomial in polynomial]
    shared = list(monomials[0])
    for monomial in monomials:
        left = list(monomial)
        for atom in tuple(shared):
            if atom in left:
                left.remove(atom)
            else:
                shared.remove(atom)
    return {tuple(shared): number}


def leading_coefficient(x: Polynomial) -> int:
    """Returns the coefficient of the term that leads in division."""
    return x[max(x, key=_order)]


def without_constant(x: Polynomial) -> Polynomial:
    """Returns the polynomial less its constant term."""
    return {monomial: c for monomial, c in x.items() if monomial}


def interval_of(x: Polynomial) -> Interval:
    """Returns bounds of the value, from the bounds of each atom by itself."""
    lower: float = 0
    upper: float = 0
    for monomial, c in x.items():
        if not -_LARGEST_COEFFICIENT <= c <= _LARGEST_COEFFICIENT:
            return intervals.ANY
        low, high = _monomial_interval(monomial)
        if c < 0:
            low, high = high, low
        lower += c * low if low else 0
        upper += c * high if high else 0
    return intervals.widened((lower, upper))


def is_small(x: Polynomial) -> bool:
    """Returns whether the polynomial is within the bounds that keep inference fast on any graph."""
    if len(x) > _MOST_TERMS:
        return False
    weight = 0
    for monomial, c in x.items():
        if not -_LARGEST_COEFFICIENT <= c <= _LARGEST_COEFFICIENT:
            return False
        if len(monomial) > _HIGHEST_DEGREE:
            return False
        for atom in monomial:
            weight += atom.weight
    return weight <= _LARGEST_WEIGHT


def text_of(x: Polynomial, *, exact: bool) -> str:
    """Returns the polynomial as Python would read it, highest degree first."""
    pieces: list[str] = []
    for monomial in sorted(x, key=lambda m: (-len(m), [atom.key for atom in m])):
        c = x[monomial]
        sign = ("-" if c < 0 else "") if not pieces else (" - " if c < 0 else " + ")
        pieces.append(sign + _term_text(monomial, c, exact=exact))
    return "".join(pieces) or "0"


def _term_text(monomial: Monomial, c: int, *, exact: bool) -> str:
    factors = [] if monomial and abs(c) == 1 else [str(abs(c))]
    single = c == 1 and len(monomial) == 1
    for atom, group in groupby(monomial):
        text, exponent = atom.text(exact=exact), len(list(group))
        if atom.is_infix and not single:
            text = f"({text})"
        factors.append(text if exponent == 1 else f"{text}**{exponent}")
    return "*".join(factors)


def _divide_by_int(x: Polynomial, divisor: int) -> tuple[Polynomial, Polynomial]:
    quotient: Polynomial = {}
    remainder: Polynomial = {}
    for monomial, c in x.items():
        whole, part = divmod(c, divisor)
        if part and monomial:
            remainder[monomial] = c
            continue
        if whole:
            quotient[monomial] = whole
        if part:
            remainder[monomial] = part
    return quotient, remainder


def _order(monomial: Monomial) -> tuple[int, list[str]]:
    """A monomial order: products keep it, so division by the leading term ends."""
    return len(monomial), [atom.key for atom in monomial]


def _joined(x: Monomial, y: Monomial) -> Monomial:
    if not x:
        return y
    if not y:
        return x
    return tuple(sorted(x + y, key=_by_key))


def _ratio(x: Monomial, y: Monomial) -> Monomial | None:
    rest = list(x)
    for atom in y:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _monomial_interval(monomial: Monomial) -> Interval:
    if len(monomial) == 1:
        return monomial[0].interval
    result: Interval = (1, 1)
    for atom, group in groupby(monomial):
        factor = intervals.power(atom.interval, len(list(group)))
        result = intervals.widened(intervals.product(result, factor))
    return result
