"""Transpose, ConjugateTranspose, InvertPermutation, Reverse, ReverseV2, ReverseSequence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
Z = (X[0] + 1j * X[1]).astype(np.complex64)
WORDS = np.array([[b"a", b"bb"], [b"c", b""]], object)
ROWS = np.arange(8, dtype=np.int32).reshape(2, 4)
LONG = np.arange(3 * 300 * 30, dtype=np.int32).reshape(30, 300, 3)


def reversed_starts(x: np.ndarray[Any, Any], lengths: list[int]) -> np.ndarray[Any, Any]:
    """Expected ReverseSequence with the batch in dimension 0, sequences in dimension 1."""
    result = x.copy()
    for row, length in zip(result, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    return result


LENGTHS = [(7 * i) % 301 for i in range(30)]
SHORT = [length % 10 for length in LENGTHS]
CASES = [
    Case("Transpose", [X, [2, 0, 1]], expected=X.transpose(2, 0, 1)),
    Case("Transpose", [X, ([0, -1, -2], "int64")], expected=X.swapaxes(1, 2), id="negative"),
    Case("Transpose", [WORDS, [1, 0]], expected=WORDS.T, id="strings"),
    Case("Transpose", [5, ([], "int32")], expected=5, id="scalar"),
    Case("Transpose", [X, [0, 1, 3]], expected=raises(r"perm\[2\] = 3"), id="range"),
    Case("Transpose", [X, [0, 1, 1]], expected=raises("lacks 2", "run"), id="twice"),
    Case("Transpose", [X, [0, 1]], expected=raises("perm"), id="length"),
    Case("ConjugateTranspose", [Z, [1, 0]], expected=Z.conj().T),
    Case("ConjugateTranspose", [X, [0, 2, 1]], expected=X.swapaxes(1, 2), id="real"),
    Case("InvertPermutation", [[3, 4, 0, 2, 1]], expected=[2, 4, 3, 0, 1]),
    Case("InvertPermutation", [([], "int64")], expected=([], "int64"), id="empty"),
    Case("InvertPermutation", [[0, 2]], expected=raises(r"x\[1\] = 2", "run"), id="range"),
    Case("InvertPermutation", [[0, 0]], expected=raises("0 more than once", "run"), id="twice"),
    Case("Reverse", [X, [True, False, True]], expected=X[::-1, :, ::-1]),
    Case("Reverse", [X, [True]], expected=raises("rank|shape"), id="length"),
    Case("ReverseV2", [X, [-1, 0]], expected=X[::-1, :, ::-1]),
    Case("ReverseV2", [WORDS, ([], "int64")], expected=WORDS, id="none"),
    Case("ReverseV2", [WORDS, [1]], expected=WORDS[:, ::-1], id="strings"),
    Case("ReverseV2", [X, [0, -3]], expected=raises("dimension 0 twice"), id="twice"),
    Case("ReverseV2", [X, [3]], expected=raises(r"axis\[0\] = 3 is not in \[-3, 3\)"), id="range"),
    Case(
        "ReverseSequence",
        [ROWS, [3, 0]],
        {"seq_dim": 1},
        expected=[[2, 1, 0, 3], [4, 5, 6, 7]],
    ),
    Case(
        "ReverseSequence",
        [ROWS.T, ([4, 2], "int64")],
        {"seq_dim": 0, "batch_dim": 1},
        expected=reversed_starts(ROWS, [4, 2]).T,
        id="whole",  # the documents ask for less than there are; TensorFlow allows all
    ),
    Case(
        "ReverseSequence",
        [LONG, LENGTHS],
        {"seq_dim": 1},
        expected=reversed_starts(LONG, LENGTHS),
        id="long",
    ),
    Case(
        "ReverseSequence",
        [LONG[:, :9].transpose(2, 0, 1), SHORT],
        {"seq_dim": 2, "batch_dim": 1},
        expected=reversed_starts(LONG[:, :9], [length % 10 for length in LENGTHS]).transpose(
            2, 0, 1
        ),
        id="many",
    ),
    Case(
        "ReverseSequence",
        [ROWS, [5, 0]],
        {"seq_dim": 1},
        expected=raises(r"seq_lengths\[0\] = 5 is not in \[0, 4\]", "run"),
        id="range",
    ),
    Case(
        "ReverseSequence", [ROWS, [1]], {"seq_dim": 1}, id="batch", expected=raises("seq_lengths")
    ),
    Case("ReverseSequence", [ROWS, [1, 1]], {"seq_dim": 2}, id="axis", expected=raises("seq_dim")),
    Case(
        "ReverseSequence",
        [ROWS, [1, 1]],
        {"seq_dim": 0},
        id="same",
        expected=raises("must differ", "run"),
    ),
]
test_reordering = check(CASES)


def test_shapes() -> None:
    infers("Transpose", "[n,2,?];", "[?,n,2]", values={"perm": [2, 0, 1]})
    infers("Transpose", "?;[3]", "[?,?,?]")
    infers("Transpose", "[n,n];[?]", "[?,?]")
    refuses("Transpose", "[2,3];[3]", "perm must have shape")
    infers("Reverse", "?;[2]", "[?,?]")
    refuses("ReverseV2", "[1,1,1,1,1,1,1,1,1];[1]", "rank at most 8")
    infers("ReverseSequence", "[n,?];[?]", "[n,?]", seq_dim=1)
    infers("ReverseSequence", "[n,?];[4]", "[4,?]", seq_dim=1)
    refuses("ReverseSequence", "[2,5];[3]", "must be equal", seq_dim=1)


def test_transpose_reverses_the_dimensions_by_default() -> None:
    with td.Graph().as_default(), td.Session() as session:
        known = td.placeholder(td.float32, [2, None, 4])
        unknown = td.placeholder(td.float32)
        assert td.transpose(known).shape.as_list() == [4, None, 2]
        for x in (known, unknown):
            assert np.array_equal(session.run(td.transpose(x), {x: X}), X.T)
        assert td.transpose(unknown, name="turned").op.name == "turned"


def test_reverse_takes_a_number() -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert session.run(td.reverse(ROWS, -1)).tolist() == ROWS[:, ::-1].tolist()


def test_a_reversed_shape_is_known() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, ["batch", 4])
        assert str(td.zeros(td.reverse(td.shape(x), [0])).shape) == "(4, batch)"


def test_tensors_of_rank_nine_are_not_reversed() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32)
        with pytest.raises(td.errors.UnimplementedError, match="rank at most 8, got 9"):
            session.run(td.reverse(x, [0]), {x: np.zeros([2] * 9)})
