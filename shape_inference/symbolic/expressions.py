"""`DimExpr`, the integer expression over symbols, and the questions that can be asked of sizes."""

from __future__ import annotations

from math import isinf
from typing import TypeAlias, TypeGuard

import numpy as np

from . import atoms, polynomial_division, polynomials
from .atoms import Symbol
from .intervals import Interval
from .polynomials import Polynomial


class Undecidable(ValueError):  # noqa: N818 - it names a state of knowledge
    """A question about a symbolic size whose answer depends on the run."""


class DimExpr:
    """An integer expression that depends on at least one symbol.

    Arithmetic is exact and closed over `int`, NumPy integers and expressions. `==` and `hash`
    compare the canonical form and never fail: that two expressions are unequal does not mean that
    they differ at every run, which is what `equal` answers. `<`, `<=`, `>`, `>=` and `bool` answer
    where the bounds of the symbols decide and otherwise raise `Undecidable`, as does every
    conversion to a number.

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import dim_symbol
        >>> batch = dim_symbol("batch")
        >>> (6 * batch + 4) // 2, batch - batch, batch + 1 > 0
        (3*batch + 2, 0, True)
    """

    __slots__ = ("_hash", "_interval", "terms")

    def __init__(self, terms: Polynomial) -> None:
        self.terms = terms
        self._hash: int | None = None
        self._interval: Interval | None = None

    @property
    def interval(self) -> Interval:
        """The bounds of the value, infinite where there is none."""
        if self._interval is None:
            self._interval = atoms.interval_of(self.terms)
        return self._interval

    def is_anonymous(self) -> bool:
        """Returns whether the expression contains a symbol without a name."""
        return any(atom.is_anonymous for monomial in self.terms for atom in monomial)

    def __add__(self, other: Dim) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomials.add(self.terms, terms_of(other)))

    __radd__ = __add__

    def __sub__(self, other: Dim) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomials.add(self.terms, terms_of(other), -1))

    def __rsub__(self, other: int) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomials.add(terms_of(other), self.terms, -1))

    def __mul__(self, other: Dim) -> Dim:
        if isinstance(other, DimExpr):
            return expression(polynomials.multiply(self.terms, other.terms))
        if not _is_dim(other):
            return NotImplemented
        return self if other == 1 else expression(polynomials.scale(self.terms, int(other)))

    __rmul__ = __mul__

    def __neg__(self) -> Dim:
        return expression(polynomials.scale(self.terms, -1))

    def __pos__(self) -> Dim:
        return self

    def __floordiv__(self, other: Dim) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomial_division.floordiv(self.terms, _divisor(other)))

    def __rfloordiv__(self, other: int) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomial_division.floordiv(terms_of(other), self.terms))

    def __mod__(self, other: Dim) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomial_division.mod(self.terms, _divisor(other)))

    def __rmod__(self, other: int) -> Dim:
        if not _is_dim(other):
            return NotImplemented
        return expression(polynomial_division.mod(terms_of(other), self.terms))

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if isinstance(other, DimExpr) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __lt__(self, other: Dim) -> bool:
        return _decided(less(self, other), self, "<", other) if _is_dim(other) else NotImplemented

    def __le__(self, other: Dim) -> bool:
        if not _is_dim(other):
            return NotImplemented
        return _decided(less_equal(self, other), self, "<=", other)

    def __gt__(self, other: Dim) -> bool:
        return _decided(less(other, self), self, ">", other) if _is_dim(other) else NotImplemented

    def __ge__(self, other: Dim) -> bool:
        if not _is_dim(other):
            return NotImplemented
        return _decided(less_equal(other, self), self, ">=", other)

    def __bool__(self) -> bool:
        return not _decided(equal(self, 0), self, "==", 0)

    def __int__(self) -> int:
        raise Undecidable(f"{self} is not known before the run, so it has no integer value yet")

    __index__ = __int__

    def __float__(self) -> float:
        raise Undecidable(f"{self} is not known before the run, so it has no numeric value yet")

    def __str__(self) -> str:
        return polynomials.text_of(self.terms, exact=False)

    __repr__ = __str__


Dim: TypeAlias = int | DimExpr
"""A size within inference: known, or an expression. Never `None`."""


def dim_symbol(name: str | None = None, lower: int | None = 0, upper: int | None = None) -> DimExpr:
    """Returns the expression that is one symbol.

    Args:
        name: The symbol's name, or `None` for a symbol that differs from every other.
        lower: The least value it can have; `None` for a value of unknown sign.
        upper: The greatest value it can have, or `None`.

    Returns:
        The symbol, as an expression.

    Raises:
        ValueError: The name is empty, or `lower` exceeds `upper`.

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import dim_symbol
        >>> 2 * dim_symbol("batch") + 3, dim_symbol()
        (2*batch + 3, ?)
    """
    return DimExpr({(Symbol(name, lower, upper),): 1})


def as_symbol(dim: Dim) -> Symbol | None:
    """Returns the symbol that the size consists of, or `None` if it is anything else.

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import as_symbol, dim_symbol
        >>> as_symbol(dim_symbol("batch")).name, as_symbol(dim_symbol("batch") + 1)
        ('batch', None)
    """
    atom = atoms.only_atom(terms_of(dim))
    return atom if isinstance(atom, Symbol) else None


def bounds(dim: Dim) -> tuple[int | None, int | None]:
    """Returns the least and the greatest value that the size can have, `None` where unbounded.

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import bounds, dim_symbol
        >>> bounds(2 * dim_symbol("batch", lower=1) + 3), bounds(7)
        ((5, None), (7, 7))
    """
    lower, upper = interval_of(dim)
    return (None if isinf(lower) else int(lower)), (None if isinf(upper) else int(upper))


def equal(x: Dim, y: Dim) -> bool | None:
    """Returns whether two sizes agree at every run (True), at none (False), or it is open (None).

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import dim_symbol, equal
        >>> n = dim_symbol("n")
        >>> equal(n + n, 2 * n), equal(n, n + 1), equal(2 * n, 5), equal(n, 5)
        (True, False, False, None)
    """
    if x is y:
        return True
    difference = x - y
    if isinstance(difference, int):
        return difference == 0
    lower, upper = difference.interval
    if lower > 0 or upper < 0:
        return False
    if lower == upper:
        return True
    step = polynomials.content(polynomials.without_constant(difference.terms))
    return False if difference.terms.get((), 0) % step else None


def less(x: Dim, y: Dim) -> bool | None:
    """Returns whether `x < y` at every run (True), at none (False), or it is open (None).

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import dim_symbol, less
        >>> n = dim_symbol("n")
        >>> less(n, n + 1), less(n, 0), less(n, 5)
        (True, False, None)
    """
    if x is y:
        return False
    lower, upper = interval_of(x - y)
    return True if upper < 0 else False if lower >= 0 else None


def less_equal(x: Dim, y: Dim) -> bool | None:
    """Returns whether `x <= y` at every run (True), at none (False), or it is open (None).

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import dim_symbol, less_equal
        >>> n = dim_symbol("n")
        >>> less_equal(n // 2, n), less_equal(n + 1, n), less_equal(n, 5)
        (True, False, None)
    """
    reverse = less(y, x)
    return None if reverse is None else not reverse


def _is_dim(value: object) -> TypeGuard[Dim]:
    return isinstance(value, (int, DimExpr, np.integer))


def terms_of(dim: Dim) -> Polynomial:
    """Returns the size as a polynomial."""
    if isinstance(dim, DimExpr):
        return dim.terms
    return polynomials.constant(int(dim))


def _divisor(dim: Dim) -> Polynomial:
    terms = terms_of(dim)
    if not terms:
        raise ZeroDivisionError("integer division or modulo by zero")
    return terms


def expression(terms: Polynomial) -> Dim:
    """Returns the size with these terms, or a symbol with its bounds where they are too many."""
    if any(atom.depth for monomial in terms for atom in monomial):
        terms = atoms.undivided(terms)
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    if polynomials.is_small(terms):
        return DimExpr(terms)
    return DimExpr({(atoms.anonymous(polynomials.interval_of(terms)),): 1})


def _decided(answer: bool | None, x: Dim, relation: str, y: Dim) -> bool:
    if answer is None:
        raise Undecidable(f"whether {x} {relation} {y} is not known before the run")
    return answer


def interval_of(dim: Dim) -> Interval:
    """Returns the bounds of the size, infinite where there is none."""
    return dim.interval if isinstance(dim, DimExpr) else (dim, dim)
