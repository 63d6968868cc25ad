"""Rows of a batch of tensors in a variable, in each of them other rows."""

from __future__ import annotations

import numpy as np
import pytest

import tensordraft as td

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("by_handle", [False, True])
@pytest.mark.parametrize(
    ("shape", "indices"),
    [
        ((4,), [0, 2]),
        ((2, 4), [[0, 2], [3, 1]]),
        ((2, 3, 2), [[0, 2], [1, 0]]),
        ((2, 2, 3), [[[0], [1]], [[2], [2]]]),
    ],
)
def test_rows_are_set(shape: tuple[int, ...], indices: list[object], by_handle: bool) -> None:
    places = np.array(indices)
    wanted = RNG.standard_normal(shape)
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(wanted, use_resource=by_handle)
        updates = RNG.standard_normal(places.shape + shape[places.ndim :])
        step = td.batch_scatter_update(v, places, updates)
        session.run(v.initializer)
        found = session.run(step)
    for at in np.ndindex(places.shape):
        wanted[(*at[:-1], places[at])] = updates[at]
    np.testing.assert_array_equal(found, wanted)


def test_what_is_refused() -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(np.zeros((2, 4)))
        with pytest.raises(ValueError, match="indices must be of known rank"):
            td.batch_scatter_update(v, td.placeholder(td.int32), [[1.0]])
        session.run(v.initializer)
        fed = td.placeholder(td.int32, [2, 1])
        with pytest.raises(td.errors.InvalidArgumentError, match=r"= \[1, 5\] is not in"):
            session.run(td.batch_scatter_update(v, fed, [[1.0], [1.0]]), {fed: [[0], [5]]})
