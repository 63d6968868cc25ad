"""Ragged tensors as single values: taken apart into rows, and put together from arrays of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td
from tensordraft.graph.registry import lookup

covers("RaggedTensorFromVariant", "RaggedTensorToVariant")

# Three rows, of two, none and two rows of numbers.
OUTER, INNER = np.array([0, 2, 2, 4]), np.array([0, 2, 2, 3, 6])
VALUES = np.arange(1, 7, dtype=np.float32)


def encoded(splits: Any, values: Any, batched: bool = True) -> Any:
    kind = splits[0].dtype if splits else "int64"
    return lookup("RaggedTensorToVariant")(splits, values, batched_input=batched, Tsplits=kind)


def decoded(
    variant: Any, inner: int, outer: int, dtype: Any = td.float32, kind: Any = "int64"
) -> Any:
    return lookup("RaggedTensorFromVariant")(
        variant, input_ragged_rank=inner, output_ragged_rank=outer, Tvalues=dtype, Tsplits=kind
    )


def lists(results: Any) -> Any:
    splits, values = results
    return [part.tolist() for part in splits], values.tolist()


def test_rows_are_put_together_again(session: td.Session) -> None:
    rows = encoded([OUTER, INNER], VALUES)
    assert rows.shape.as_list() == [3]
    whole = session.run(decoded(rows, 1, 2))
    assert lists(whole) == ([OUTER.tolist(), INNER.tolist()], VALUES.tolist())
    assert lists(session.run(decoded(rows[2], -1, 1))) == ([[0, 1, 4]], [3, 4, 5, 6])
    turned = td.stack([rows[2], rows[1], rows[0]])
    assert lists(session.run(decoded(turned, 1, 2))) == (
        [[0, 2, 2, 4], [0, 1, 4, 6, 6]],
        [3, 4, 5, 6, 1, 2],
    )


def test_values_of_more_dimensions_and_int32(session: td.Session) -> None:
    values = np.arange(12).reshape(6, 2)
    rows = encoded([np.array([0, 1, 6], np.int32)], values)
    assert lists(session.run(decoded(rows, 0, 1, td.int64, "int32"))) == (
        [[0, 1, 6]],
        values.tolist(),
    )


def test_rows_of_one_length(session: td.Session) -> None:
    rows = encoded([], td.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert rows.shape.as_list() == [2]
    assert lists(session.run(decoded(rows, 0, 1))) == ([[0, 2, 4]], [1, 2, 3, 4])
    square = td.reshape(encoded([], VALUES[:4, None]), [2, 2])
    assert lists(session.run(decoded(square, 0, 2))) == ([[0, 2, 4], [0, 1, 2, 3, 4]], [1, 2, 3, 4])


def test_one_alone_and_none_at_all(session: td.Session) -> None:
    one = encoded([INNER], VALUES, batched=False)
    assert one.shape.as_list() == []
    assert lists(session.run(decoded(one, -1, 1))) == ([INNER.tolist()], VALUES.tolist())
    none = encoded([np.array([0])], VALUES[:0])
    assert lists(session.run(decoded(none, 1, 2))) == ([[0], [0]], [])


@pytest.mark.parametrize(
    ("make", "clause"),
    [
        (
            lambda: decoded(encoded([INNER], VALUES, False), -1, 1, td.int32),
            "got values of float32",
        ),
        (lambda: decoded(encoded([INNER], VALUES, False), -1, 1, kind="int32"), "splits of int32"),
        (lambda: decoded(encoded([INNER], VALUES), 1, 2), "must have 1 splits, got 0"),
        (lambda: decoded(encoded([], VALUES), 0, 1), "rank 1 or more, got a scalar"),
        (lambda: decoded(encoded([], td.placeholder_with_default(1.0, None)), 0, 1), "rank 1 or"),
        (
            lambda: decoded(
                td.stack([encoded([], np.ones((1, n), "f"), batched=False) for n in (2, 3)]), 0, 1
            ),
            r"one inner shape, got \[2\] and \[3\]",
        ),
        (
            lambda: decoded(
                lookup("EmptyTensorList")(np.zeros(0, np.int32), 3, element_dtype=td.float32), 0, 0
            ),
            "got another variant",
        ),
        (lambda: encoded([td.placeholder_with_default([0, 9], [2])], VALUES), "rt_nested_splits"),
    ],
)
def test_what_does_not_fit_is_refused(session: td.Session, make: Any, clause: str) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=clause):
        session.run(make())


def test_ranks_must_add_up(session: td.Session) -> None:
    with pytest.raises(ValueError, match=r"got 0, -1 and 1"):
        decoded(encoded([INNER], VALUES), -1, 0)
