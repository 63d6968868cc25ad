"""Formulas add up costs of any length, and find terms that are never the greatest."""

from __future__ import annotations

import pytest
from effort import examples
from hypothesis import given, strategies as st

from tensordraft.shape_inference.symbolic.formulas import Formula
from tensordraft.shape_inference.symbolic.symbolic import dim_max, dim_min, dim_symbol

A, B = dim_symbol("a"), dim_symbol("b")
SIZES = st.fixed_dictionaries({"a": st.integers(1, 9), "b": st.integers(1, 9)})
LEAVES = st.sampled_from(
    [Formula.of(dim) for dim in (0, 1, 7, A, B, A * B, A // 2, (A + 1) // 2, dim_max(A, B), A % 3)]
)
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(Formula.greatest),
    ),
    max_leaves=6,
)


def test_text() -> None:
    n = Formula.of(A)
    assert str(3 * n * n + B + 2) == "3*a**2 + b + 2"
    assert str(Formula.greatest([n * n, n + 4, n])) == "max(a**2, a + 4)"
    assert str(Formula.of(5)) == "5"


def test_a_hundred_terms_are_kept() -> None:
    total = sum((Formula.of(dim_symbol(f"n{i}")) for i in range(100)), Formula.of(0))
    assert len(total.names) == 100
    assert total.at({f"n{i}": i for i in range(100)}) == 4950


@examples(100)
@given(FORMULAS, FORMULAS, SIZES)
def test_arithmetic_is_that_of_numbers(x: Formula, y: Formula, sizes: dict[str, int]) -> None:
    def number(formula: Formula) -> int:
        found = formula.at(sizes)
        assert isinstance(found, int)
        return found

    assert number(x + y) == number(x) + number(y)
    assert number(x * y) == number(x) * number(y)
    assert number(Formula.greatest([x, y])) == max(number(x), number(y))
    if x.is_at_least(y):
        assert number(x) >= number(y)


@examples(60)
@given(FORMULAS, st.integers(1, 4), st.integers(0, 4), st.integers(1, 9))
def test_ranges_hold_every_value(x: Formula, low: int, length: int, b: int) -> None:
    span = range(low, low + length + 1)
    bounds = x.at({"a": span, "b": b})
    values = [found for a in span if isinstance(found := x.at({"a": a, "b": b}), int)]
    assert len(values) == len(span)
    if isinstance(bounds, tuple):
        assert bounds[0] <= min(values)
        assert bounds[1] >= max(values)
    else:
        assert isinstance(bounds, Formula) or {bounds} == set(values)


def test_what_is_never_the_greatest_is_dropped() -> None:
    a, b = Formula.of(A), Formula.of(B)
    assert Formula.greatest([a * b, a, b, a * b - 1]) == a * b
    assert Formula.greatest([a, dim_min(A, 4)]) == a


@pytest.mark.parametrize("other", ["a", 1.5, None])
def test_strangers(other: object) -> None:
    assert Formula.of(A) != other
    with pytest.raises(TypeError):
        Formula.of(A) + other  # type: ignore[operator]
