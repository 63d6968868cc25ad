"""Pooling by random regions: which ones, and what becomes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td


def row(*values: float, dtype: str = "f") -> np.ndarray:
    return np.array(values, dtype).reshape(1, 1, -1, 1)


SEEDED = {"deterministic": True, "seed": 3, "seed2": 5}
BOUNDS = [np.array([0, 1]), np.array([0, 2, 3])]
# TensorFlow 2.21 draws these regions for the seeds, of 10 columns by 1.4.
RANDOM = np.array([0, 1, 2, 3, 5, 7, 8, 10])
PSEUDO = np.array([0, 2, 3, 4, 6, 7, 9, 10])
CASES = [
    Case("FractionalMaxPool", [row(4, 1, 2)], {"pooling_ratio": [1.0, 1.0, 3.0, 1.0]},
         (row(4), np.array([0, 1]), np.array([0, 3]))),
    Case("FractionalMaxPool", [row(*range(10))], SEEDED | {"pooling_ratio": [1.0, 1.0, 1.4, 1.0]},
         (row(*(RANDOM[1:] - 1)), np.array([0, 1]), RANDOM), id="seeds"),
    Case("FractionalMaxPool", [row(*range(10))],
         SEEDED | {"pooling_ratio": [1.0, 1.0, 1.4, 1.0], "pseudo_random": True},
         (row(*(PSEUDO[1:] - 1)), np.array([0, 1]), PSEUDO), id="even"),
    Case("FractionalMaxPool", [row(*range(10), dtype="i4")],
         SEEDED | {"pooling_ratio": [1.0, 1.0, 1.4, 1.0], "overlapping": True},
         (row(*np.minimum(RANDOM[1:], 9), dtype="i4"), np.array([0, 1]), RANDOM), id="overlap"),
    Case("FractionalMaxPool", [row(1, 2)], {"pooling_ratio": [1.0, 2.0, 1.0, 1.0]},
         raises("pooling_ratio makes 0 regions of 1 elements", "run")),
    Case("FractionalMaxPool", [row(1, 2)], {"pooling_ratio": [2.0, 1.0, 1.0, 1.0]},
         raises("pooling_ratio must be 1 for batch and channels")),
    Case("FractionalMaxPool", [row(1, 2)], {"pooling_ratio": [1.0, 0.5, 1.0, 1.0]},
         raises("pooling_ratio must be at least 1")),
    Case("FractionalMaxPool", [row(1, 2)], {"pooling_ratio": [1.0, 1.0, 1.0, 1.0], "seed": 1},
         raises("seed and seed2 must be 0 unless deterministic=True", "run"), id="seed"),
    Case("FractionalAvgPool", [row(4, 1, 1)], {"pooling_ratio": [1.0, 1.0, 3.0, 1.0]},
         (row(2), np.array([0, 1]), np.array([0, 3]))),
    Case("FractionalAvgPool", [row(-4, 1, 1, dtype="i8")], {"pooling_ratio": [1.0, 1.0, 3.0, 1.0]},
         (row(0, dtype="i8"), np.array([0, 1]), np.array([0, 3])), id="ints"),
    Case("FractionalMaxPoolGrad", [row(4, 4, 2), row(4, 2), row(10, 1), *BOUNDS],
         expected=row(10, 0, 1)),
    Case("FractionalMaxPoolGrad", [row(1, 2, 4), row(4, 4), row(10, 1), *BOUNDS],
         {"overlapping": True}, row(0, 0, 11), id="overlap"),
    Case("FractionalMaxPoolGrad", [row(1, 2), row(2, 2), row(10, 1), *BOUNDS],
         expected=raises(r"col_pooling_sequence\[1:3\] = \[2, 3\] is not a region of 2", "run")),
    Case("FractionalAvgPoolGrad", [np.array([1, 1, 3, 1]), row(10, 1), *BOUNDS],
         expected=row(5, 5, 1)),
    Case("FractionalAvgPoolGrad", [np.array([1, 1, 3, 1]), row(9, 1, dtype="i4"), *BOUNDS],
         {"overlapping": True}, row(3, 3, 4, dtype="i4"), id="ints"),
    Case("FractionalAvgPoolGrad", [np.array([1, 1, 3, 1]), row(10), *BOUNDS],
         expected=raises("out_backprop must have shape", "run")),
]  # fmt: skip
test_fractional_pooling = check(CASES)


@pytest.mark.parametrize("pool", [td.nn.fractional_max_pool, td.nn.fractional_avg_pool])
def test_regions_differ_from_run_to_run(pool: Any) -> None:
    image = np.arange(60, dtype="f").reshape(1, 60, 1, 1)
    with td.Graph().as_default(), td.Session() as session:
        pooled = pool(td.constant(image), [1.0, 1.4, 1.0, 1.0])
        once = pool(td.constant(image), [1.0, 1.4, 1.0, 1.0], deterministic=True)
        assert pooled.output.shape == [1, 42, 1, 1]
        found = [session.run(pooled.row_pooling_sequence).tolist() for _ in range(4)]
        assert len({tuple(bounds) for bounds in found}) > 1
        kept = [session.run(once.row_pooling_sequence).tolist() for _ in range(2)]
        assert kept[0] == kept[1]
    for bounds in (*found, *kept):
        assert (bounds[0], bounds[-1]) == (0, 60)
        assert set(np.diff(bounds)) == {1, 2}


@pytest.mark.parametrize("overlapping", [False, True])
def test_gradients_meet_the_pixels_that_were_taken(overlapping: bool) -> None:
    image = np.arange(12, dtype="f").reshape(1, 4, 3, 1)
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant(image)
        y = td.nn.fractional_max_pool(x, [1.0, 1.6, 1.6, 1.0], overlapping=overlapping).output
        values, slopes = session.run([y, td.gradients(y, x)[0]])
        assert (values * 1.0).sum() == (slopes * image).sum()
