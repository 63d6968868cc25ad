"""Division of polynomials that rounds down, as Python's `//` and `%` do.

A division by zero fails the run, so the rules take every divisor to be non-zero.
"""

from __future__ import annotations

from . import atoms, intervals, polynomials
from .atoms import Call
from .polynomials import Polynomial


def floordiv(x: Polynomial, y: Polynomial) -> Polynomial:
    """Returns `x // y`."""
    if polynomials.leading_coefficient(y) < 0:
        x, y = polynomials.scale(x, -1), polynomials.scale(y, -1)
    quotient, rest = _divided(x, y)
    return polynomials.add(quotient, _floor_of_rest(rest, y)) if rest else quotient


def mod(x: Polynomial, y: Polynomial) -> Polynomial:
    """Returns `x % y`, which has the sign of `y`."""
    if polynomials.leading_coefficient(y) < 0:
        opposite = mod(polynomials.scale(x, -1), polynomials.scale(y, -1))
        return polynomials.scale(opposite, -1)
    _, rest = _divided(x, y)
    if not rest:
        return {}
    factor = polynomials.common_factor(rest, y)
    if factor != _UNIT:
        return polynomials.multiply(factor, mod(_reduced(rest, factor), _reduced(y, factor)))
    whole = _known_quotient(rest, y)
    return atoms.apply("%", rest, y) if whole is None else polynomials.add(rest, y, -whole)


_UNIT: Polynomial = {(): 1}


def _divided(x: Polynomial, y: Polynomial) -> tuple[Polynomial, Polynomial]:
    """As `polynomials.divide`, by what is known of symbols, too."""
    quotient, rest = polynomials.divide(x, y)
    if polynomials.is_constant(y):
        for monomial, c in list(rest.items()):
            part = atoms.divided(monomial, c, y[()]) if monomial else None
            if part is not None:
                quotient = polynomials.add(quotient, part)
                rest = {m: k for m, k in rest.items() if m is not monomial}
    return quotient, rest


def _floor_of_rest(rest: Polynomial, y: Polynomial) -> Polynomial:
    factor = polynomials.common_factor(rest, y)
    if factor != _UNIT:
        return floordiv(_reduced(rest, factor), _reduced(y, factor))
    if polynomials.is_constant(y):
        # Rounding down may be done in steps: (g*x + c)//(g*d) is (x + c//g)//d.
        step = polynomials.content(polynomials.without_constant(rest), y)
        rest, y = _floor_terms(rest, step), _floor_terms(y, step)
        inner = atoms.only_atom(polynomials.without_constant(rest))
        if isinstance(inner, Call) and inner.function == "//":
            numerator, denominator = inner.arguments
            if polynomials.is_constant(denominator):
                numerator = polynomials.add(numerator, denominator, rest.get((), 0))
                return floordiv(numerator, polynomials.multiply(denominator, y))
    whole = _known_quotient(rest, y)
    return atoms.apply("//", rest, y) if whole is None else polynomials.constant(whole)


def _reduced(x: Polynomial, factor: Polynomial) -> Polynomial:
    return polynomials.divide(x, factor)[0]


def _floor_terms(x: Polynomial, step: int) -> Polynomial:
    return {monomial: c // step for monomial, c in x.items() if c // step}


def _known_quotient(x: Polynomial, y: Polynomial) -> int | None:
    interval = atoms.interval_of(x)
    lower, upper = intervals.quotient(interval, atoms.interval_of(y))
    if lower == upper:
        return int(lower)
    if polynomials.is_constant(y) or interval[0] < 0:
        return None
    return 0 if atoms.interval_of(polynomials.add(x, y, -1))[1] < 0 else None
