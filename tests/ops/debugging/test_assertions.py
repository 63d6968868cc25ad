"""Assertions; error texts agree with TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td
from tensordraft.ops.common.array_text import summary

FLOATS = np.array([1, np.inf, -np.inf, np.nan], "f")
CHECK = {"message": "the weights"}
CASES = [
    Case("Assert", [True, [[1, 2], "x"]], {}, (), id="holds"),
    Case(
        "Assert",
        [False, [[1, 2, 3, 4], "x"]],
        {},
        raises(r"assertion failed: \[1 2 3\.\.\.\] \[x\]", "run"),
        id="fails",
    ),
    Case(
        "Assert", [False, [[1, 2]]], {"summarize": 1}, raises(r"\[1\.\.\.\]", "run"), id="summarize"
    ),
    Case("Assert", [[True], [1]], {}, raises("condition must have rank 0", "run"), id="rank"),
    *(
        case
        for op in ("CheckNumerics", "CheckNumericsV2")
        for case in (
            Case(op, [[1.0, -2.0]], CHECK, [1.0, -2.0], id="finite"),
            Case(op, [([1.0], "bfloat16")], CHECK, ([1.0], "bfloat16"), id="bfloat16"),
            Case(op, [np.zeros((0, 2), "f")], CHECK, np.zeros((0, 2), "f"), id="empty"),
            Case(
                op,
                [FLOATS[3]],
                CHECK,
                raises("the weights : Tensor had NaN values", "run"),
                id="nan",
            ),
        )
    ),
    Case("CheckNumerics", [FLOATS[:3]], CHECK, raises(": Tensor had Inf values", "run"), id="inf"),
    Case("CheckNumerics", [FLOATS], CHECK, raises("had Inf and NaN values", "run"), id="all"),
    Case(
        "CheckNumericsV2",
        [FLOATS[:3]],
        CHECK,
        raises(r"had -Inf and \+Inf values", "run"),
        id="inf",
    ),
    Case(
        "CheckNumericsV2",
        [FLOATS],
        CHECK,
        raises(r"had -Inf, \+Inf, and NaN values", "run"),
        id="all",
    ),
]
test_assertions = check(CASES)


@pytest.mark.parametrize(
    ("value", "most", "text"),
    [
        (1.5, 3, "[1.5]"),
        ([1.0, 0.1, 1 / 3, 1e10], 3, "[1 0.1 0.333333343...]"),
        ([1.0, 1e-7, 1e10], -1, "[1 1e-07 1e+10]"),
        ([[1, 2], [3, 4]], 3, "[[1 2][3...]...]"),
        ([[1, 2, 3, 4], [3, 4, 5, 6]], 3, "[[1 2 3...]...]"),
        ([[[1, 2], [3, 4]], [[1, 2], [3, 4]]], 3, "[[[1 2][3...]]...]"),
        ([[[1, 2], [3, 4]], [[1, 2], [3, 4]]], -1, "[[[1 2][3 4]][[1 2][3 4]]]"),
        ([True, False], 3, "[1 0]"),
        ([b"a", b"\xff"], 3, "[a \\xff]"),
        (np.zeros((0, 2)), 3, "[]"),
        ([np.nan, -np.inf], 3, "[nan -inf]"),
    ],
)
def test_summaries(value: object, most: int, text: str) -> None:
    array = td.make_ndarray(td.make_tensor_proto(value))
    if array.dtype == np.float64:
        array = array.astype("f")
    assert summary(array, most) == text


def test_an_assertion_guards_what_depends_on_it() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [])
        with td.control_dependencies([td.Assert(x > 0, [x])]):
            y = x + 1
        assert session.run(y, {x: 1.0}) == 2
        with pytest.raises(td.errors.InvalidArgumentError, match=r"assertion failed: \[-1\]"):
            session.run(y, {x: -1.0})
