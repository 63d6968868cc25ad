"""The best boxes of many, found among a few: the same ones as when all have their turn."""

from __future__ import annotations

import numpy as np
import pytest

from tensordraft.ops.boxes.combined_non_max_suppression import _best_apart
from tensordraft.ops.boxes.cpp_sort_order import popped_from_queue, sorted_downwards
from tensordraft.ops.boxes.non_max_suppression_kernels import apart, intersection_over_union


@pytest.mark.parametrize("levels", [3, 40, 500, 2**23])
@pytest.mark.parametrize(("number", "most"), [(5, 2), (90, 7), (400, 20), (400, 400)])
def test_as_when_all_have_their_turn(levels: int, number: int, most: int) -> None:
    random = np.random.default_rng(levels + number)
    corners = random.random((number, 2), np.float32)
    boxes = np.concatenate([corners, corners + random.random((number, 2), np.float32) / 4], 1)
    scores = (random.integers(1, levels + 1, number) / levels).astype(np.float32)
    similarity = intersection_over_union(boxes)
    order = popped_from_queue(scores)
    assert scores[order].tolist() == sorted(scores.tolist(), reverse=True)
    expected = apart(order, similarity, np.float32(0.3), most)
    assert _best_apart(scores, similarity, np.float32(0.3), np.float32(0), most) == expected


@pytest.mark.parametrize("levels", [2, 30, 2**23])
def test_the_first_of_an_order(levels: int) -> None:
    keys = (np.random.default_rng(levels).integers(0, levels, 300) / levels).astype(np.float32)
    whole = sorted_downwards(keys, len(keys))
    assert sorted(whole.tolist()) == list(range(300))
    for most in (1, 20, 299):
        assert sorted_downwards(keys, most).tolist() == whole[:most].tolist()
