"""Quick ways of the gradients of depthwise convolutions give what adding up one by one gives."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import tensordraft as td

RNG = np.random.default_rng(3)


def one_by_one(
    x: np.ndarray, filters: np.ndarray, g: np.ndarray, rate: int, before: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Both gradients where windows move by 1, in float64."""
    to_image, to_filter = np.zeros(x.shape), np.zeros(filters.shape)
    each = g.reshape(*g.shape[:3], *filters.shape[2:]).astype("d")
    places = product(*map(range, (*g.shape[1:3], *filters.shape[:2])))
    for row, column, i, j in places:
        r, c = row + i * rate - before[0], column + j * rate - before[1]
        if 0 <= r < x.shape[1] and 0 <= c < x.shape[2]:
            to_image[:, r, c] += (each[:, row, column] * filters[i, j]).sum(-1)
            to_filter[i, j] += (x[:, r, c, :, None] * each[:, row, column]).sum(0)
    return to_image, to_filter


@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize("padding", ["SAME", "VALID", [0, 0, 1, 3, 0, 2, 0, 0]])
@pytest.mark.parametrize("rate", [1, 2])
@pytest.mark.parametrize("size", [(3, 3), (2, 1), (1, 4)])
def test_ways(size: tuple[int, int], rate: int, padding: Any, multiplier: int) -> None:
    x = RNG.normal(size=(2, 9, 10, 3)).astype("f")
    filters = RNG.normal(size=(*size, 3, multiplier)).astype("f")
    pairs = [padding[2:4], padding[4:6]] if isinstance(padding, list) else None
    extents = [(n - 1) * rate + 1 for n in size]
    if padding == "SAME":
        before = (extents[0] - 1) // 2, (extents[1] - 1) // 2
        positions = [9, 10]
    else:
        margins = pairs or [[0, 0], [0, 0]]
        before = margins[0][0], margins[1][0]
        spaces = zip((9, 10), margins, extents, strict=True)
        positions = [n + sum(pair) - extent + 1 for n, pair, extent in spaces]
    g = RNG.normal(size=(2, *positions, 3 * multiplier)).astype("f")
    if pairs is not None:
        padding = [[0, 0], *pairs, [0, 0]]
    more: Any = {"strides": [1] * 4, "padding": padding, "dilations": [1, rate, rate, 1]}
    with td.Graph().as_default(), td.Session() as session:
        found = session.run(
            [
                td.nn.depthwise_conv2d_native_backprop_input([2, 9, 10, 3], filters, g, **more),
                td.nn.depthwise_conv2d_native_backprop_filter(x, filters.shape, g, **more),
            ]
        )
    for one, wanted in zip(found, one_by_one(x, filters, g, rate, before), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-4)


def test_what_is_no_number_stays_where_it_is_seen() -> None:
    g = np.ones((1, 4, 4, 1), np.float32)
    filters = np.ones((3, 3, 1, 1), np.float32)
    filters[0, 0] = np.inf
    with td.Graph().as_default(), td.Session() as session:
        result = session.run(
            td.nn.depthwise_conv2d_native_backprop_input(g.shape, filters, g, 1, "SAME")
        )[0, ..., 0]
    # The last row and column are never seen by the first element of a window.
    expected = np.full((4, 4), np.inf)
    expected[3], expected[:, 3] = [4, 6, 6, 4], [4, 6, 6, 4]
    np.testing.assert_array_equal(result, expected)
