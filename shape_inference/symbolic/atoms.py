"""The atoms of symbolic sizes: symbols, and calls that have no simpler form."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import gcd, inf, isinf

from . import intervals, polynomials
from .intervals import Interval
from .polynomials import Atom, Monomial, Polynomial

_DEEPEST_NESTING = 4
_MOST_TIGHTENED_CALLS = 4
_TIGHTENING_LEVELS = 2
_serials = count()


class Symbol(Atom):
    """An integer that is unknown before the run.

    Symbols with one name are one symbol. A symbol without a name is equal only to itself.

    Args:
        name: The name it is printed by, or `None`.
        lower: The least value it can have, or `None` if there is no such bound.
        upper: The greatest value it can have, or `None` if there is no such bound.
        multiple_of: A number that divides each value it can have.

    Raises:
        ValueError: The name is empty, or `lower` exceeds `upper`.

    Example:
        >>> from tensordraft.shape_inference.symbolic.symbolic import Symbol
        >>> Symbol("batch") == Symbol("batch"), Symbol() == Symbol()
        (True, False)
    """

    __slots__ = ("lower", "multiple_of", "name", "upper")

    def __init__(
        self,
        name: str | None = None,
        lower: int | None = 0,
        upper: int | None = None,
        multiple_of: int = 1,
    ) -> None:
        if name == "":
            raise ValueError("a symbol's name must not be empty; None leaves it unnamed")
        if lower is not None and upper is not None and lower > upper:
            raise ValueError(f"lower = {lower} must not exceed upper = {upper}")
        self.name = name
        self.lower = lower
        self.upper = upper
        self.multiple_of = multiple_of
        if name is None:
            key = f"?{next(_serials)}"
        else:
            key = name if name.isidentifier() else repr(name)
        interval = (-inf if lower is None else lower, inf if upper is None else upper)
        super().__init__(
            key, intervals.widened(interval), depth=0, weight=1, is_anonymous=name is None
        )

    def text(self, *, exact: bool) -> str:
        """Returns the key when exact, else the name, or `?` where there is none."""
        return self.key if exact else self.name or "?"

    def __repr__(self) -> str:
        return f"Symbol({self.name!r}, lower={self.lower}, upper={self.upper})"


class Call(Atom):
    """The value of `//`, `%`, `min` or `max` where no simpler form of it is known.

    Attributes:
        function: Which of the four it is.
        arguments: The polynomials it is applied to.
    """

    __slots__ = ("arguments", "function")

    def __init__(self, function: str, arguments: tuple[Polynomial, ...]) -> None:
        self.function = function
        self.arguments = arguments
        inner = [atom for argument in arguments for monomial in argument for atom in monomial]
        super().__init__(
            self.text(exact=True),
            intervals.widened(_call_interval(function, [interval_of(a) for a in arguments])),
            depth=1 + max(atom.depth for atom in inner),
            weight=1 + sum(atom.weight for atom in inner),
            is_anonymous=any(atom.is_anonymous for atom in inner),
        )

    @property
    def is_infix(self) -> bool:
        """True if the text needs parentheses inside a product."""
        return self.function in ("//", "%")

    def text(self, *, exact: bool) -> str:
        """Returns the call as Python would write it."""
        texts = [polynomials.text_of(argument, exact=exact) for argument in self.arguments]
        if not self.is_infix:
            return f"{self.function}({', '.join(texts)})"
        return self.function.join(
            text if _is_plain(argument) else f"({text})"
            for text, argument in zip(texts, self.arguments, strict=True)
        )


def apply(function: str, *arguments: Polynomial) -> Polynomial:
    """Returns the call as a polynomial: its value where the bounds leave only one."""
    call = Call(function, arguments)
    lower, upper = call.interval
    if lower == upper:
        return polynomials.constant(int(lower))
    if call.depth > _DEEPEST_NESTING:
        return {(anonymous(call.interval),): 1}
    return {(call,): 1}


def divided(monomial: Monomial, coefficient: int, divisor: int) -> Polynomial | None:
    """Returns a term divided by a number, where a symbol in it is a multiple of what is needed."""
    common = gcd(coefficient, divisor)
    step = divisor // common
    for i, atom in enumerate(monomial):
        if isinstance(atom, Symbol) and atom.multiple_of % step == 0:
            rest: Polynomial = {monomial[:i] + monomial[i + 1 :]: coefficient // common}
            return polynomials.multiply(rest, apply("//", {(atom,): 1}, {(): step}))
    return None


def undivided(terms: Polynomial) -> Polynomial:
    """Returns the polynomial without divisions that its own factors undo: `8*(n//8)` is `n`."""
    result: Polynomial = {}
    for monomial, c in terms.items():
        for i, atom in enumerate(monomial):
            whole = _divided_symbol(atom)
            if whole is not None and c % whole[1] == 0:
                rest: Polynomial = {monomial[:i] + monomial[i + 1 :]: c // whole[1]}
                term = undivided(polynomials.multiply(rest, {(whole[0],): 1}))
                break
        else:
            term = {monomial: c}
        result = polynomials.add(result, term)
    return result


def _divided_symbol(atom: Atom) -> tuple[Symbol, int] | None:
    """The symbol and the number of a division that leaves no rest."""
    if not isinstance(atom, Call) or atom.function != "//":
        return None
    symbol, divisor = only_atom(atom.arguments[0]), atom.arguments[1]
    if not isinstance(symbol, Symbol) or not polynomials.is_constant(divisor):
        return None
    return (symbol, divisor[()]) if symbol.multiple_of % divisor[()] == 0 else None


def anonymous(interval: Interval) -> Symbol:
    """Returns a new symbol of which only the bounds are known."""
    lower, upper = (None if isinf(bound) else int(bound) for bound in interval)
    return Symbol(None, lower, upper)


def only_atom(terms: Polynomial) -> Atom | None:
    """Returns the atom that the polynomial consists of, or `None` if it is anything else."""
    if len(terms) == 1:
        ((monomial, c),) = terms.items()
        if c == 1 and len(monomial) == 1:
            return monomial[0]
    return None


def interval_of(terms: Polynomial, levels: int = _TIGHTENING_LEVELS) -> Interval:
    """Returns bounds that know how a call relates to its arguments: `n - n//2` is not negative."""
    lower, upper = polynomials.interval_of(terms)
    calls = [m for m in terms if len(m) == 1 and isinstance(m[0], Call)] if levels else []
    if len(calls) > _MOST_TIGHTENED_CALLS:
        return lower, upper
    for monomial in calls:
        c = terms[monomial]
        rest = {m: k for m, k in terms.items() if m is not monomial}
        for scale, argument, is_upper in _linear_bounds(monomial[0]):
            scaled = polynomials.add(polynomials.scale(rest, scale), argument, c)
            low, high = interval_of(scaled, levels - 1)
            if is_upper == (c > 0):
                upper = min(upper, intervals.floor_of(high, scale))
            else:
                lower = max(lower, -intervals.floor_of(-low, scale))
    return lower, upper


def _linear_bounds(atom: Atom) -> Iterator[tuple[int, Polynomial, bool]]:
    """`(s, e, is_upper)` for what is known of a call `t`: `s*t <= e` if upper, else `s*t >= e`."""
    if not isinstance(atom, Call):
        return
    if not atom.is_infix:
        for argument in atom.arguments:
            yield 1, argument, atom.function == "min"
        return
    numerator, denominator = atom.arguments
    if atom.function == "//":
        if polynomials.is_constant(denominator):
            step = denominator[()]
            yield step, numerator, True
            yield step, polynomials.add(numerator, {(): 1 - step}), False
    elif polynomials.interval_of(denominator)[0] > 0:
        yield 1, polynomials.add(denominator, {(): -1}), True
        if polynomials.interval_of(numerator)[0] >= 0:
            yield 1, numerator, True


def _call_interval(function: str, arguments: list[Interval]) -> Interval:
    if function == "//":
        return intervals.quotient(*arguments)
    if function == "%":
        return intervals.remainder(*arguments)
    return intervals.extremum(function, arguments)


def _is_plain(terms: Polynomial) -> bool:
    return polynomials.is_constant(terms) or isinstance(only_atom(terms), Symbol)
