"""td.py_function: arguments have numpy(), results are cast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td


def run(function: Any, arguments: list[Any], dtypes: Any) -> Any:
    with td.Session() as session:
        return session.run(td.py_function(function, arguments, dtypes))


def test_arguments_are_arrays_that_have_numpy() -> None:
    seen: list[Any] = []

    def look(x: Any, text: Any) -> Any:
        seen.append((type(x.numpy()), x.shape, text.numpy()))
        return x.numpy() + x

    found = run(look, [np.array([1, 2], np.float32), "abc"], td.float32)
    np.testing.assert_array_equal(found, [2, 4])
    assert seen == [(np.ndarray, (2,), b"abc")]


def test_results_are_cast() -> None:
    found = run(
        lambda x: (x.numpy() * 2, x.shape[0], float(x[1]), x[0].item()),
        [np.arange(3)],
        [td.float32, td.int64, td.float64, td.int32],
    )
    assert [value.dtype for value in found] == [np.float32, np.int64, np.float64, np.int32]
    assert [np.asarray(value).tolist() for value in found] == [[0, 2, 4], 3, 1.0, 0]
    assert run(lambda x: x.numpy().upper(), ["abc"], td.string) == b"ABC"
    assert run(lambda x: [1, 2], [0.0], td.int32).tolist() == [1, 2]
    called: list[float] = []
    assert run(lambda x: called.append(float(x)), [3.0], []) is None
    assert called == [3.0]


@pytest.mark.parametrize(
    ("function", "reported"),
    [
        (lambda x: "text", "expected float32, got 'text'"),
        (td.square, "a tensor of a graph, 'Square:0': compute with NumPy in it"),
        (lambda x: [1, 2], "the function returned 2 values, 1 are due"),
    ],
)
def test_what_cannot_be_cast_is_refused(function: Any, reported: str) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=reported):
        run(function, [1.0], [td.float32])


def test_what_is_no_function_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="func must be callable, got 3"):
        td.py_function(3, [1.0], td.float32)  # type: ignore[arg-type]
