"""Tile, Pad, PadV2, MirrorPad."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

X = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
ROWS = np.arange(200, dtype=np.int32).reshape(2, 100)
WORDS = np.array([b"a", b"bb"], object)
CUBE = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
ROOM = [[1, 1], [2, 0]]

CASES = [
    Case("Tile", [X, [2, 1]], expected=np.tile(X, (2, 1))),
    Case("Tile", [CUBE, ([1, 3, 2], "int64")], expected=np.tile(CUBE, (1, 3, 2)), id="cube"),
    Case("Tile", [ROWS, [3, 2]], expected=np.tile(ROWS, (3, 2)), id="long-rows"),
    Case("Tile", [WORDS, [2]], expected=[b"a", b"bb", b"a", b"bb"], id="strings"),
    Case("Tile", [X, [0, 2]], expected=np.zeros((0, 6), np.float32), id="nothing"),
    Case("Tile", [3, ([], "int32")], expected=3, id="scalar"),
    Case("Tile", [X, [1, -1]], expected=raises(r"multiples\[1\] = -1", "run"), id="minus-one"),
    Case("Tile", [X, [1, -2]], expected=raises("negative"), id="negative"),
    Case("Tile", [X, [2]], expected=raises("multiples"), id="length"),
    Case("Pad", [X, ROOM], expected=np.pad(X, ROOM)),
    Case("Pad", [WORDS, ([[1, 0]], "int64")], expected=[b"", b"a", b"bb"], id="strings"),
    Case("Pad", [[True], [[0, 1]]], expected=[True, False], id="bools"),
    Case("Pad", [X, [[0, 0], [0, 0]]], expected=X, id="nothing"),
    Case("Pad", [X[:0], ROOM], expected=np.zeros((2, 5), np.float32), id="empty"),
    Case("Pad", [X, [[0, -1], [0, 0]]], expected=raises(r"paddings\[0,1\] = -1"), id="negative"),
    Case("Pad", [X, [[1, 1]]], expected=raises("rank|paddings"), id="length"),
    Case("Pad", [X, [1, 1]], expected=raises("paddings must have rank 2|shape"), id="vector"),
    Case(
        "PadV2",
        [X, ROOM, np.float32(-1)],
        expected=np.pad(X, ROOM, constant_values=-1),
    ),
    Case("PadV2", [WORDS, [[0, 1]], b"-"], expected=[b"a", b"bb", b"-"], id="strings"),
    Case("PadV2", [X, ROOM, [np.float32(1)]], expected=raises("scalar", "run"), id="vector"),
    Case(
        "MirrorPad",
        [X, [[1, 1], [2, 1]]],
        {"mode": "REFLECT"},
        expected=np.pad(X, [[1, 1], [2, 1]], mode="reflect"),
    ),
    Case(
        "MirrorPad",
        [CUBE, [[2, 0], [0, 3], [4, 4]]],
        {"mode": "SYMMETRIC"},
        expected=np.pad(CUBE, [[2, 0], [0, 3], [4, 4]], mode="symmetric"),
        id="symmetric",
    ),
    Case(
        "MirrorPad",
        [X, [[2, 0], [0, 0]]],
        {"mode": "REFLECT"},
        expected=raises(r"paddings\[0\] = \[2, 0\] must be at most 1", "run"),
        id="reflect-limit",
    ),
    Case(
        "MirrorPad",
        [X, [[0, 0], [0, 4]]],
        {"mode": "SYMMETRIC"},
        expected=raises("must be at most 3", "run"),
        id="symmetric-limit",
    ),
]
test_padding = check(CASES)


def test_shapes() -> None:
    infers("Tile", "[n,2];", "[3*n,8]", values={"multiples": [3, 4]})
    infers("Tile", "[n,0];[2]", "[?,0]")
    infers("Tile", "?;[2]", "[?,?]")
    refuses("Tile", "[2,2];[3]", "multiples")
    infers("Pad", "[n,2];", "[n+3,2]", values={"paddings": [[1, 2], [0, 0]]})
    infers("Pad", "?;[2,2]", "[?,?]")
    infers("Pad", "[4];[?,?]", "[?]")
    refuses("Pad", "[4];[1,3]", "paddings must have shape")
    infers("PadV2", "[n];;[]", "[n+1]", values={"paddings": [[1, 0]]})
    infers("MirrorPad", "[n];", "[n+1]", values={"paddings": [[1, 0]]}, mode="REFLECT")


def test_pad_takes_its_mode_in_any_case_of_letters() -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert session.run(td.pad([1, 2, 3], [[2, 0]], "Reflect")).tolist() == [3, 2, 1, 2, 3]
        assert session.run(td.pad([1, 2, 3], [[2, 0]], "symmetric")).tolist() == [2, 1, 1, 2, 3]
        assert session.run(td.pad([1, 2, 3], [[2, 0]], "constant")).tolist() == [0, 0, 1, 2, 3]
        with pytest.raises(ValueError, match="got 'EDGE'"):
            td.pad([1, 2, 3], [[2, 0]], "EDGE")


def test_a_tiled_or_padded_shape_is_known() -> None:
    with td.Graph().as_default():
        size = td.shape(td.placeholder(td.float32, ["batch"]))
        assert str(td.zeros(td.tile(size, [2])).shape) == "(batch, batch)"
        assert str(td.zeros(td.pad(size, [[1, 0]])).shape) == "(0, batch)"


@pytest.mark.parametrize("count", [2**20, 2**62])
def test_what_would_be_too_large_is_refused(count: int) -> None:
    with td.Graph().as_default(), td.Session() as session:
        number = td.placeholder(td.int64, [])
        for result in (
            td.tile(td.ones([2**20, 3]), [number, 1]),
            td.pad(td.ones([2**20, 3]), [[0, 0], [number, 0]]),
        ):
            with pytest.raises(td.errors.ResourceExhaustedError, match="max_tensor_bytes"):
                session.run(result, {number: count})
