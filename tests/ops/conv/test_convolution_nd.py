"""Convolutions and pools by the rank of what they are given."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import tensordraft as td

SIZES, WINDOW = [7, 6, 5], [3, 2, 2]
STEPS = [("SAME", 1, 1), ("SAME", 2, 1), ("VALID", 2, 1), ("VALID", 1, 2)]


def positions(
    x: Any, window: list[int], padding: str, stride: int, rate: int, outside: float
) -> tuple[list[int], list[Any]]:
    """The sizes of the result, and for each place in it what the window sees."""
    sizes, margins, reaches = [], [(0, 0)], [(size - 1) * rate + 1 for size in window]
    for size, reach in zip(x.shape[1:-1], reaches, strict=True):
        out = -(-size // stride) if padding == "SAME" else (size - reach) // stride + 1
        missing = max((out - 1) * stride + reach - size, 0)
        sizes.append(out)
        margins.append((missing // 2, missing - missing // 2))
    padded = np.pad(x, [*margins, (0, 0)], constant_values=outside)
    seen = []
    for place in product(*map(range, sizes)):
        cut = (
            slice(at * stride, at * stride + reach, rate)
            for at, reach in zip(place, reaches, strict=True)
        )
        seen.append(padded[(slice(None), *cut)])
    return sizes, seen


def computed(make: Callable[..., td.Tensor], x: Any, data_format: str) -> Any:
    """The result for channels behind space, whichever form it is computed in."""
    first = data_format.startswith("NC")
    with td.Graph().as_default(), td.Session() as session:
        result = session.run(make(np.moveaxis(x, -1, 1) if first else x, data_format=data_format))
    return np.moveaxis(result, 1, -1) if first else result


def forms(rank: int) -> list[str]:
    return [f"N{'DHW'[3 - rank :]}C", f"NC{'DHW'[3 - rank :]}"]


@pytest.mark.parametrize(("padding", "stride", "rate"), [*STEPS, ("SAME", 1, 2)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolution_is_the_product_of_what_windows_see(
    rank: int, padding: str, stride: int, rate: int
) -> None:
    random = np.random.RandomState(0)
    x = random.randn(2, *SIZES[:rank], 3).astype("f")
    filters = random.randn(*WINDOW[:rank], 3, 4).astype("f")
    sizes, seen = positions(x, WINDOW[:rank], padding, stride, rate, 0)
    flat = [cut.reshape(2, -1) @ filters.reshape(-1, 4) for cut in seen]
    expected = np.stack(flat, axis=1).reshape(2, *sizes, 4)
    for form in forms(rank):
        result = computed(
            lambda value, **more: td.nn.convolution(
                value, filters, padding, [stride] * rank, rate, **more
            ),
            x,
            form,
        )
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("padding", "stride", "rate"), STEPS)
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(("kind", "of"), [("MAX", np.nanmax), ("AVG", np.nanmean)])
def test_pool_is_the_maximum_or_mean_of_what_windows_see(
    rank: int, padding: str, stride: int, rate: int, kind: str, of: Callable[..., Any]
) -> None:
    x = np.random.RandomState(0).randn(2, *SIZES[:rank], 3).astype("f")
    sizes, seen = positions(x, WINDOW[:rank], padding, stride, rate, np.nan)
    space = tuple(range(1, rank + 1))
    expected = np.stack([of(cut, axis=space) for cut in seen], 1).reshape(2, *sizes, 3)
    for form in forms(rank):
        result = computed(
            lambda value, **more: td.nn.pool(
                value, WINDOW[:rank], kind, padding, [rate] * rank, stride, **more
            ),
            x,
            form,
        )
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "reported"),
    [
        (lambda x: td.nn.pool(x, [2], "MIN", "SAME"), "MAX or AVG.*'MIN'"),
        (lambda x: td.nn.pool(x, [2], "MAX", "SAME", [2]), "padding VALID, got .*SAME"),
        (lambda x: td.nn.pool(x, [2], "MAX", "VALID", [2], [2]), "strides must be 1"),
        (lambda x: td.nn.pool(x, [2], "MAX", "SAME", data_format="NHWC"), "NWC or NCW, got 'NHWC'"),
        (lambda x: td.nn.pool(x, [], "MAX", "SAME"), "1, 2 or 3 dimensions"),
        (lambda x: td.nn.convolution(x, np.ones((2, 1, 1), "f"), "SAME", [0]), "at least 1"),
        (lambda x: td.nn.convolution(x, np.ones((2, 1, 1), "f"), "SAME", [1, 1]), "strides must"),
        (lambda x: td.nn.convolution(x, td.placeholder(td.float32), "SAME"), "rank of filter"),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[Any], Any], reported: str) -> None:
    with td.Graph().as_default(), pytest.raises(ValueError, match=reported):
        make(np.ones((1, 5, 1), "f"))
