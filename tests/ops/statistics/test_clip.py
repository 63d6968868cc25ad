"""Clipping by norms and by values: slopes at zero, slices, names."""

from __future__ import annotations

import numpy as np

import tensordraft as td


def test_the_slope_at_zero_is_that_of_nothing_clipped() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.zeros([3])
        [slope] = td.gradients(td.clip_by_norm(x, 1.0), x)
        np.testing.assert_array_equal(session.run(slope), np.ones(3))


def test_slices_are_clipped_by_their_values() -> None:
    with td.Graph().as_default(), td.Session() as session:
        slices = td.IndexedSlices(td.constant([[3.0], [-4.0]]), td.constant([2, 0]))
        for clipped, wanted in (
            (td.clip_by_norm(slices, 1.0), [[0.6], [-0.8]]),
            (td.clip_by_value(slices, -1.0, 2.0), [[2.0], [-1.0]]),
        ):
            assert isinstance(clipped, td.IndexedSlices)
            assert clipped.indices is slices.indices
            np.testing.assert_allclose(session.run(clipped.values), wanted)


def test_results_clipped_together_are_numbered() -> None:
    with td.Graph().as_default():
        clipped, _ = td.clip_by_global_norm([[3.0], None, [4.0]], 1.0)
        assert [None if x is None else x.op.name for x in clipped] == [
            "clip_by_global_norm/clip_by_global_norm/_0",
            None,
            "clip_by_global_norm/clip_by_global_norm/_2",
        ]
