"""Max pooling with indices, and pooling of sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

IMAGE = np.random.default_rng(2).permutation(2 * 4 * 5 * 3).reshape(2, 4, 5, 3)
WINDOW: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
VALID, SAME = {**WINDOW, "padding": "VALID"}, {**WINDOW, "padding": "SAME"}
OP = "MaxPoolWithArgmax"


def pooled(x: Any, rows: int, columns: int, batch: bool) -> tuple[Any, Any]:
    """The maxima of windows of 2 × 2 from the places (2i, 2j), by a loop over everything."""
    shape = (len(x), rows, columns, x.shape[-1])
    best, place = np.zeros(shape, x.dtype), np.zeros(shape, np.int64)
    for b, i, j, channel in np.ndindex(*shape):
        window = x[b, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, channel]
        row, column = np.unravel_index(window.argmax(), window.shape)
        best[b, i, j, channel] = window.max()
        at = (b * batch, 2 * i + row, 2 * j + column, channel)
        place[b, i, j, channel] = np.ravel_multi_index(at, x.shape)
    return best, place


CASES = [
    Case(OP, [IMAGE], VALID, pooled(IMAGE, 2, 2, False)),
    Case(OP, [IMAGE], {**SAME, "include_batch_in_index": True}, pooled(IMAGE, 2, 3, True),
         id="batch"),
    Case(OP, [IMAGE.astype("f")], {**VALID, "Targmax": "int32"}, tuple(
        part.astype(dtype) for part, dtype in zip(pooled(IMAGE, 2, 2, False), "fi", strict=True)),
         id="float32"),
    Case(OP, [np.ones((1, 2, 2, 1), "f")], VALID, (np.ones((1, 1, 1, 1), "f"),
         np.zeros((1, 1, 1, 1), np.int64)), id="first of equals"),
    Case(OP, [np.zeros((0, 4, 4, 1), "f")], VALID, (np.zeros((0, 2, 2, 1), "f"),
         np.zeros((0, 2, 2, 1), np.int64)), id="empty"),
    Case(OP, [([[[[1.5], [2.5]]]], "bfloat16")], SAME, (([[[[2.5]]]], "bfloat16"),
         ([[[[1]]]], "int64")), id="bfloat16"),
    Case(OP, [[[1.0]]], VALID, raises("input must have rank 4"), id="rank"),
    Case(OP, [np.ones((1, 1, 1, 1), "f")], {**VALID, "ksize": [1, 4, 4, 1]},
         raises("the window spans"), id="window"),
]  # fmt: skip

test_max_pool_with_argmax = check(CASES)


def test_shapes() -> None:
    infers(OP, "[b,4,w,c]", "[b,2,(w+1)//2,c];[b,2,(w+1)//2,c]", **SAME)
    refuses(OP, "[1,4,4,1]", "must be 1 for the batch", **{**VALID, "strides": [2, 2, 2, 1]})


def run(function: Any, *arguments: Any, **options: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(function(*arguments, **options))


def test_function() -> None:
    image = IMAGE.astype("f")
    pool = run(td.nn.max_pool_with_argmax, image, [1, 2, 2, 1], 2, "VALID", output_dtype=td.int32)
    assert pool.argmax.dtype == np.int32
    np.testing.assert_array_equal(image.reshape(2, -1)[0, pool.argmax[0]], pool.output[0])
    with pytest.raises(ValueError, match="data_format = 'NCHW'"):
        run(td.nn.max_pool_with_argmax, image, 2, 2, "VALID", "NCHW")


SEQUENCE = np.random.default_rng(3).normal(size=(2, 7, 3)).astype("f")


def test_pooling_of_sequences() -> None:
    pairs = SEQUENCE[:, :6].reshape(2, 3, 2, 3)
    np.testing.assert_array_equal(run(td.nn.max_pool1d, SEQUENCE, 2, 2, "VALID"), pairs.max(2))
    mean = run(td.nn.avg_pool1d, SEQUENCE, [1, 2, 1], [2], "VALID")
    np.testing.assert_allclose(mean, pairs.mean(2), 1e-6)
    turned = run(td.nn.max_pool1d, SEQUENCE.swapaxes(1, 2), 2, 2, "SAME", "NCW")
    assert turned.shape == (2, 3, 4)
    np.testing.assert_array_equal(turned.swapaxes(1, 2)[:, :3], pairs.max(2))


def test_pooling_of_sequences_of_an_unknown_length() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, ["batch", None, 3])
        assert td.nn.max_pool1d(x, 2, 2, "SAME").shape.as_list() == [None, None, 3]
        with pytest.raises(ValueError, match="ksize must have 1 or 3 elements"):
            td.nn.avg_pool1d(x, [2, 2], 1, "SAME")
        with pytest.raises(ValueError, match="data_format = 'NDHWC'"):
            td.nn.max_pool1d(x, 1, 1, "SAME", "NDHWC")
