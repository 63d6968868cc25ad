"""`td.repeat` beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

X = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("repeats", "axis"), [(2, None), (2, 1), ([2], 0), ([0, 3], 0), ([1, 0, 2], -1), (0, 0)]
)
def test_as_numpy_has_it(repeats: Any, axis: int | None, fed: bool) -> None:
    expected = np.repeat(X, repeats, axis)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.int64, [None, None]) if fed else td.constant(X)
        times = td.placeholder(td.int32, np.shape(repeats)) if fed else repeats
        y = td.repeat(x, times, axis)
        found = session.run(y, {x: X, times: repeats} if fed else {})
        assert found.dtype == np.int64
        assert np.array_equal(found, expected)
        assert y.shape.is_compatible_with(expected.shape)
        assert fed or y.shape.as_list() == list(expected.shape)


def test_scalars_and_gradients() -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert session.run(td.repeat(7, 3)).tolist() == [7, 7, 7]
        assert session.run(td.repeat([1, 2], [-1, 1])).tolist() == [2]
        x = td.constant([1.0, 2.0])
        (gradient,) = td.gradients(td.repeat(x, [3, 1]), x)
        assert session.run(gradient).tolist() == [3.0, 1.0]


def test_what_does_not_fit() -> None:
    with td.Graph().as_default():
        for x, repeats, axis, clause in (
            (X, [[1]], 0, "a scalar or a vector"),
            (X, [1, 2, 3], 0, "3"),
            (X, 1, 2, "axis"),
            (td.placeholder(td.float32), 1, 0, "a known rank"),
        ):
            with pytest.raises(ValueError, match=clause):
                td.repeat(x, repeats, axis)
