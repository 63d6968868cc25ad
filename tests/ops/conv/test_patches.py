"""Patches of images. No document has an example; these are TensorFlow's results."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

ROWS = np.arange(1, 17, dtype=np.int32).reshape(1, 4, 4, 1)


def window(size: int, stride: int, rate: int, padding: str = "VALID") -> dict[str, object]:
    return {
        "ksizes": [1, size, size, 1],
        "strides": [1, stride, stride, 1],
        "rates": [1, rate, rate, 1],
        "padding": padding,
    }


def refused(name: str, value: list[int], error: type[td.errors.OpError]) -> Case:
    clause = f"{name} must be .*got .{value[0]}, {value[1]}"
    attrs = {**window(1, 1, 1), name: value}
    return Case("ExtractImagePatches", [ROWS], attrs, raises(clause, "run", error), id=f"{value}")


CASES = [
    Case("ExtractImagePatches", [ROWS], window(1, 1, 1), ROWS, id="one"),
    Case(
        "ExtractImagePatches",
        [ROWS],
        window(2, 2, 1),
        [[[[1, 2, 5, 6], [3, 4, 7, 8]], [[9, 10, 13, 14], [11, 12, 15, 16]]]],
        id="stride",
    ),
    Case(
        "ExtractImagePatches",
        [ROWS],
        window(2, 1, 2),
        [[[[1, 3, 9, 11], [2, 4, 10, 12]], [[5, 7, 13, 15], [6, 8, 14, 16]]]],
        id="rate",
    ),
    Case(
        "ExtractImagePatches",
        [ROWS],
        window(2, 3, 1, "SAME"),
        [[[[1, 2, 5, 6], [4, 0, 8, 0]], [[13, 14, 0, 0], [16, 0, 0, 0]]]],
        id="same",
    ),
    Case(
        "ExtractImagePatches",
        [np.arange(8.0).reshape(1, 2, 2, 2)],
        window(2, 1, 1),
        np.arange(8.0).reshape(1, 1, 1, 8),
        id="depth",
    ),
    Case(
        "ExtractImagePatches",
        [ROWS],
        window(5, 1, 1),
        np.zeros((1, 0, 0, 25), np.int32),
        id="larger",
    ),
    Case(
        "ExtractImagePatches",
        [ROWS],
        window(6, 1, 1),
        raises("size 4 in a dimension where the window spans 6"),
        id="too-large",
    ),
    refused("ksizes", [1, 0, 1, 1], td.errors.OutOfRangeError),
    refused("rates", [1, 0, 1, 1], td.errors.OutOfRangeError),
    refused("strides", [2, 1, 1, 1], td.errors.UnimplementedError),
    Case(
        "ExtractImagePatches",
        [ROWS],
        window(1, 0, 1),
        raises("strides must be at least 1, got", "build", td.errors.OutOfRangeError),
        id="no-step",
    ),
]


test_patches = check(CASES)


def test_shapes() -> None:
    infers("ExtractImagePatches", "[n,?,?,3]", "[n,?,?,12]", **window(2, 1, 1))
    infers("ExtractImagePatches", "[n,h,9,c]", "[n,h//2,4,4*c]", **window(2, 2, 1))
    infers("ExtractImagePatches", "[n,h,9,c]", "[n,(h+1)//2,5,4*c]", **window(2, 2, 1, "SAME"))
    infers("ExtractImagePatches", "?", "[?,?,?,?]", **window(2, 2, 1))


def test_refusals() -> None:
    refuses("ExtractImagePatches", "[1,4,4]", "rank 4", **window(1, 1, 1))
    attrs = {**window(1, 1, 1), "ksizes": [1, 1, 1, 1, 1]}
    refuses("ExtractImagePatches", "[1,4,4,1]", "ksizes must have 4 elements", **attrs)
    attrs = {**window(1, 1, 1), "ksizes": [1, 2, -1, 1]}
    refuses("ExtractImagePatches", "[1,4,4,1]", "ksizes must be at least 1", **attrs)
    infers("ExtractImagePatches", "[1,4,4,?]", "[1,3,6,?]", **attrs)


def test_older_order_of_arguments() -> None:
    window_of_2, ones = [1, 2, 2, 1], [1, 1, 1, 1]
    with td.Graph().as_default(), td.Session() as session:
        new = td.extract_image_patches(ROWS, window_of_2, ones, ones, "VALID")
        old = td.extract_image_patches(ROWS, "VALID", window_of_2, ones, ones)  # type: ignore[arg-type]
        named = td.extract_image_patches(
            ROWS, padding="VALID", ksizes=window_of_2, strides=ones, rates=ones
        )
        results = session.run([new, old, named])
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("seed", range(20))
def test_against_a_loop(seed: int) -> None:
    random = np.random.default_rng(seed)
    size, stride, rate = (int(n) for n in random.integers(1, 4, 3))
    extent = size + (size - 1) * (rate - 1)
    x = random.integers(0, 99, (2, extent + 4, extent + 2, 2)).astype(np.int32)
    attrs = window(size, stride, rate)
    down, across = 4 // stride + 1, 2 // stride + 1
    wanted = np.zeros((2, down, across, size * size * 2), np.int32)
    for row, column in np.ndindex(down, across):
        top, left = row * stride, column * stride
        seen = x[:, top : top + extent : rate, left : left + extent : rate]
        wanted[:, row, column] = seen.reshape(2, -1)
    with td.Graph().as_default(), td.Session() as session:
        patches = td.extract_image_patches(x, **attrs)  # type: ignore[arg-type]
        np.testing.assert_array_equal(session.run(patches), wanted)
