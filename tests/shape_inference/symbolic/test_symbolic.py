"""Symbolic sizes: canonical form, decisions, bounds and limits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensordraft.shape_inference.symbolic.symbolic import (
    Dim,
    DimExpr,
    Symbol,
    Undecidable,
    as_symbol,
    bounds,
    dim_max,
    dim_min,
    dim_symbol,
    divides_exactly,
    equal,
    evaluate,
    exact_div,
    less,
    less_equal,
    product,
    substitute,
    symbols_of,
)

BATCH, A, B = dim_symbol("batch"), dim_symbol("a"), dim_symbol("b")
POSITIVE = dim_symbol("p", lower=1)
SMALL = dim_symbol("s", lower=0, upper=3)
ANY = dim_symbol("z", lower=None)


def symbol(expression: Dim) -> Symbol:
    found = as_symbol(expression)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (2 * BATCH + 3, "2*batch + 3"),
        (BATCH // 2, "batch//2"),
        (BATCH % 4, "batch%4"),
        (dim_max(BATCH, 4), "max(batch, 4)"),
        (dim_min(4, BATCH), "min(batch, 4)"),
        (BATCH - 3, "batch - 3"),
        (3 - BATCH, "-batch + 3"),
        (A * A * B, "a**2*b"),
        (2 * (BATCH // 3) - 1, "2*(batch//3) - 1"),
        ((3 * BATCH + 1) // 2, "(3*batch + 1)//2"),
        (BATCH // (A + 1), "batch//(a + 1)"),
        (-(BATCH // 2), "-(batch//2)"),
        (dim_symbol(), "?"),
        (2 * dim_symbol() + 1, "2*? + 1"),
    ],
)
def test_text(expression: Dim, text: str) -> None:
    assert str(expression) == text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (BATCH + A, A + BATCH),
        (2 * (A + B), A + A + 2 * B),
        (A * B, B * A),
        ((A + B) * (A - B), A * A - B * B),
        (6 * BATCH // 3, 2 * BATCH),
        ((6 * BATCH + 4) // 2, 3 * BATCH + 2),
        ((A * B) // A, B),
        ((A * B + A) // A, B + 1),
        ((POSITIVE * 4 + SMALL) // 4, POSITIVE),
        ((POSITIVE * 4 + SMALL) % 4, SMALL),
        ((A * POSITIVE + POSITIVE - 1) // POSITIVE, A + 1 + (-1) // POSITIVE),
        ((BATCH - 1) // 2 + 1, (BATCH + 1) // 2),
        ((4 * BATCH + 2) // 6, (2 * BATCH + 1) // 3),
        ((4 * BATCH + 3) // 6, (2 * BATCH + 1) // 3),
        ((4 * BATCH + 2) % 6, 2 * ((2 * BATCH + 1) % 3)),
        (BATCH // 2 // 3, BATCH // 6),
        (((BATCH + 1) // 2 + 1) // 2, (BATCH + 3) // 4),
        (BATCH // -2, -BATCH // 2),
        (BATCH % -3, -((-BATCH) % 3)),
        ((A * B) // (A * BATCH), B // BATCH),
        (dim_max(BATCH, 0), BATCH),
        (dim_max(A, dim_max(B, A)), dim_max(B, A)),
        (dim_min(BATCH, BATCH + 1), BATCH),
        (dim_min(BATCH // 2, BATCH), BATCH // 2),
        (product([2, A, 3, B]), 6 * A * B),
    ],
)
def test_equal_expressions_share_one_form(left: Dim, right: Dim) -> None:
    assert left == right
    assert hash(left) == hash(right)
    assert equal(left, right) is True


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (BATCH - BATCH, 0),
        (BATCH * 0, 0),
        (BATCH + 3 - BATCH, 3),
        (6 * BATCH % 3, 0),
        ((6 * BATCH + 5) % 3, 2),
        (A // A, 1),
        (A % A, 0),
        (SMALL // 4, 0),
        (BATCH // (BATCH + 1), 0),
        (0 // BATCH, 0),
        (dim_min(BATCH, 0), 0),
        (dim_max(SMALL, 3), 3),
        (exact_div(6 * A, 3 * A), 2),
    ],
)
def test_constants_are_plain_integers(expression: Dim, value: int) -> None:
    assert type(expression) is int
    assert expression == value


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (A, A, True),
        (A, A + 1, False),
        (2 * A, 2 * B + 1, False),
        (A, -1, False),
        (A, B, None),
        (A, 5, None),
        (dim_symbol(), dim_symbol(), None),
        (SMALL, 4, False),
        (3, 3, True),
        (3, 4, False),
    ],
)
def test_equal(x: Dim, y: Dim, expected: bool | None) -> None:
    assert equal(x, y) is expected
    assert equal(y, x) is expected


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (A, A, False),
        (A, A + 1, True),
        (A + 1, A, False),
        (SMALL, 4, True),
        (A, B, None),
        (A - dim_min(A, 2), 0, False),
        (A % 5, 5, True),
        (A % 5, A + 1, True),
        (dim_max(A - 2, 0), 0, False),
        (dim_max(A - 2, 0), A + 1, None),
        (A, dim_max(A, B) + 1, True),
        (A, 2 * (A // 2) + 2, True),
        (1, 2, True),
    ],
)
def test_less(x: Dim, y: Dim, expected: bool | None) -> None:
    assert less(x, y) is expected
    assert less_equal(y, x) is (None if expected is None else not expected)


def test_comparison_operators_answer_or_refuse() -> None:
    assert BATCH >= 0
    assert BATCH > -1
    assert BATCH - 1 < BATCH
    assert BATCH <= BATCH
    assert SMALL < 5
    with pytest.raises(Undecidable, match=r"whether batch < 3 is not known before the run"):
        _ = BATCH < 3
    with pytest.raises(Undecidable, match=r"whether batch > 3"):
        _ = BATCH > 3
    with pytest.raises(TypeError):
        operator.lt(BATCH, "3")


def test_truth_follows_the_bounds() -> None:
    assert POSITIVE
    assert bool(2 * BATCH + 1)
    with pytest.raises(Undecidable, match=r"batch == 0"):
        bool(BATCH)


@pytest.mark.parametrize("convert", [int, float, operator.index, range])
def test_no_conversion_to_a_number(convert: Callable[[Any], object]) -> None:
    with pytest.raises(Undecidable, match="batch is not known before the run"):
        convert(BATCH)


def test_unequal_form_does_not_raise() -> None:
    assert A != B
    assert BATCH != 3
    assert BATCH != "batch"
    assert {BATCH: 1}[dim_symbol("batch")] == 1


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (5, (5, 5)),
        (BATCH, (0, None)),
        (ANY, (None, None)),
        (-BATCH, (None, 0)),
        (ANY * ANY, (0, None)),
        (2 * SMALL + 1, (1, 7)),
        (SMALL * -2, (-6, 0)),
        (BATCH // 2, (0, None)),
        (ANY // 2, (None, None)),
        (ANY % 5, (0, 4)),
        (ANY % -5, (-4, 0)),
        (BATCH - BATCH // 2, (0, None)),
        (BATCH - 2 * (BATCH // 2), (0, 1)),
        (dim_min(BATCH, 7), (0, 7)),
        (dim_max(ANY, 7), (7, None)),
        (10 // POSITIVE, (0, 10)),
        (-10 // POSITIVE, (-10, -1)),
    ],
)
def test_bounds(expression: Dim, expected: tuple[int | None, int | None]) -> None:
    assert bounds(expression) == expected


@pytest.mark.parametrize(
    ("x", "y", "quotient"),
    [
        (12, 4, 3),
        (12, 5, None),
        (12, 0, None),
        (BATCH, 0, None),
        (6 * BATCH * A, 2 * BATCH, 3 * A),
        (3 * A * B, A, 3 * B),
        (A * B + 2 * A, B + 2, A),
        (A * A - B * B, A + B, A - B),
        (BATCH, 2, None),
        (3 * BATCH, 2, None),
        (BATCH, A, None),
        (0, BATCH, 0),
        (6, BATCH, None),
    ],
)
def test_exact_division(x: Dim, y: Dim, quotient: Dim | None) -> None:
    assert exact_div(x, y) == quotient


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (12, 4, True),
        (12, 5, False),
        (12, 0, False),
        (6 * BATCH, 3, True),
        (6 * BATCH + 1, 3, False),
        (BATCH, 2, None),
        (A * B, A, True),
    ],
)
def test_divides_exactly(x: Dim, y: Dim, expected: bool | None) -> None:
    assert divides_exactly(x, y) is expected


def test_symbols_and_identity() -> None:
    anonymous = dim_symbol()
    assert isinstance(anonymous, DimExpr)
    assert anonymous == anonymous + 0
    assert anonymous != dim_symbol()
    assert anonymous.is_anonymous()
    assert (BATCH // (2 * anonymous + 1)).is_anonymous()  # type: ignore[union-attr]
    assert not BATCH.is_anonymous()
    assert symbols_of(BATCH // (anonymous + 1) + 2) == {symbol(BATCH), symbol(anonymous)}
    assert symbols_of(3) == frozenset()
    assert as_symbol(2 * BATCH) is None
    assert as_symbol(3) is None


def test_names_that_look_like_expressions_stay_symbols() -> None:
    assert dim_symbol("batch//2") != BATCH // 2
    assert dim_symbol("?0") != dim_symbol()
    assert str(dim_symbol("my dim")) == "my dim"


@pytest.mark.parametrize(
    ("name", "lower", "upper", "message"),
    [("", 0, None, "name must not be empty"), ("n", 3, 2, "lower = 3 must not exceed upper = 2")],
)
def test_bad_symbols(name: str, lower: int, upper: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dim_symbol(name, lower, upper)


def test_substitution() -> None:
    expression = (BATCH + 1) // 2 + dim_max(A, B) % 3
    assert substitute(expression, {symbol(BATCH): 2 * A + 1}) == A + 1 + dim_max(A, B) % 3
    assert substitute(expression, {symbol(s): n for s, n in ((BATCH, 4), (A, 5), (B, 1))}) == 4
    assert substitute(7, {}) == 7


def test_evaluation() -> None:
    assert evaluate(BATCH * BATCH - 1, {symbol(BATCH): 5}) == 24
    with pytest.raises(ValueError, match=r"a \+ batch has no value without a"):
        evaluate(BATCH + A, {symbol(BATCH): 1})
    with pytest.raises(ZeroDivisionError):
        evaluate(1 // BATCH, {symbol(BATCH): 0})


@pytest.mark.parametrize("operation", [operator.floordiv, operator.mod])
def test_division_by_zero(operation: Callable[[Dim, Dim], Dim]) -> None:
    with pytest.raises(ZeroDivisionError):
        operation(BATCH, 0)


@pytest.mark.parametrize("function", [dim_min, dim_max])
def test_extremum_of_nothing(function: Callable[..., Dim]) -> None:
    with pytest.raises(ValueError, match="needs at least one size"):
        function()


@pytest.mark.parametrize("number", [np.int64(7), np.int32(7), np.uint8(7)])
def test_numpy_integers_are_integers(number: Any) -> None:
    assert BATCH * number == number * BATCH == 7 * BATCH
    assert BATCH + number == number + BATCH == BATCH + 7
    assert number - BATCH == 7 - BATCH
    assert number // BATCH == 7 // BATCH
    assert BATCH % number == BATCH % 7
    assert dim_max(number, BATCH) == dim_max(7, BATCH)


def test_object_arrays_compute_with_expressions() -> None:
    shape = np.array([BATCH, 2, 3], dtype=object)
    assert list(shape * 2) == [2 * BATCH, 4, 6]
    assert list(BATCH + shape) == [2 * BATCH, BATCH + 2, BATCH + 3]
    assert np.prod(shape) == 6 * BATCH
    assert np.sum(shape) == BATCH + 5


@pytest.mark.parametrize("unrelated", ["x", 1.5, None, [1]])
def test_arithmetic_with_anything_else(unrelated: Any) -> None:
    for operation in (operator.add, operator.sub, operator.floordiv, operator.mod):
        with pytest.raises(TypeError):
            operation(BATCH, unrelated)


class TestGrowthIsBounded:
    def test_too_many_terms(self) -> None:
        total = sum((dim_symbol(f"n{i}") for i in range(40)), start=BATCH)
        assert as_symbol(total) or len(str(total)) < 200
        assert bounds(total) == (0, None)
        assert isinstance(total, DimExpr)
        assert total.is_anonymous()

    def test_too_high_a_degree(self) -> None:
        power: Dim = POSITIVE
        for _ in range(100):
            power = power * power
        assert isinstance(power, DimExpr)
        assert power.is_anonymous()
        assert power >= 1

    def test_too_large_a_coefficient(self) -> None:
        huge: Dim = BATCH
        for _ in range(1000):
            huge = huge * 10**9
        lower, _ = bounds(huge)
        assert lower is None or lower == 0

    def test_a_huge_constant(self) -> None:
        assert bounds(BATCH + 10**400)[1] is None

    def test_too_deep_a_nesting(self) -> None:
        nested: Dim = BATCH
        for i in range(50):
            nested = (nested * 3 + A) // (B + i + 1)
        assert len(str(nested)) < 2000
        assert bounds(nested)[0] == 0

    @pytest.mark.parametrize("function", [dim_min, dim_max])
    def test_too_many_arguments(self, function: Callable[..., Dim]) -> None:
        result = function(*(dim_symbol(f"n{i}", lower=2, upper=9) for i in range(500)))
        assert isinstance(result, DimExpr)
        assert result.is_anonymous()
        assert bounds(result) == (2, 9)

    def test_products_of_sums(self) -> None:
        result: Dim = 1
        for i in range(12):
            result = result * (dim_symbol(f"n{i}") + 1)
        assert result >= 1
