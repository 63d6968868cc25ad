"""Space to batch and back. The examples are those of the documents."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

SQUARE = [[[[1], [2]], [[3], [4]]]]
COLOURS = [[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]]
IMAGE = np.arange(1, 17, dtype=np.int32).reshape(1, 4, 4, 1)
QUARTERS = [
    [[[1], [3]], [[9], [11]]],
    [[[2], [4]], [[10], [12]]],
    [[[5], [7]], [[13], [15]]],
    [[[6], [8]], [[14], [16]]],
]  # The documents print the second row of blocks instead of the third.
TWO = np.arange(1, 17, dtype=np.int32).reshape(2, 2, 4, 1)
TWO_PADDED = np.array(
    [[0, 1, 3], [0, 9, 11], [0, 2, 4], [0, 10, 12], [0, 5, 7], [0, 13, 15], [0, 6, 8], [0, 14, 16]],
    np.int32,
).reshape(8, 1, 3, 1)
TWO_CUT = np.array(
    [[1, 3], [9, 11], [2, 4], [10, 12], [5, 7], [13, 15], [6, 8], [14, 16]], np.int32
).reshape(8, 1, 2, 1)
NONE = [[0, 0], [0, 0]]
EMPTY_PAIRS = np.zeros((0, 2), np.int32)
NO_BLOCK = np.zeros(0, np.int32)
PLAIN_PAIR = {"block_size": 2}


def column(values: object, shape: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.array(values, np.int32).reshape(shape)


def nd(op: str, inputs: list[object], expected: object, id: str = "") -> Case:
    """A case of an op that must know the length of `block_shape`."""
    return Case(op, inputs, expected=expected, id=id, fixed=("block_shape",))


CASES = [
    nd("SpaceToBatchND", [SQUARE, [2, 2], NONE], expected=[[[[1]]], [[[2]]], [[[3]]], [[[4]]]]),
    nd(
        "SpaceToBatchND",
        [COLOURS, [2, 2], NONE],
        expected=column(np.arange(1, 13), [4, 1, 1, 3]),
        id="colours",
    ),
    nd("SpaceToBatchND", [IMAGE, [2, 2], NONE], expected=QUARTERS, id="quarters"),
    nd("SpaceToBatchND", [TWO, [2, 2], [[0, 0], [2, 0]]], expected=TWO_PADDED, id="padded"),
    nd(
        "SpaceToBatchND",
        [[[b"a", b"b", b"c"]], [2], [[1, 0]]],
        expected=[[b"", b"b"], [b"a", b"c"]],
        id="strings",
    ),
    nd("SpaceToBatchND", [[3, 4], NO_BLOCK, EMPTY_PAIRS], expected=[3, 4], id="no-block"),
    nd("SpaceToBatchND", [7, [1], [[0, 0]]], expected=raises("rank at least 2"), id="scalar"),
    nd(
        "SpaceToBatchND",
        [[[1, 2, 3]], [2], [[0, 0]]],
        expected=raises(r"dimension 1 of input, padded by 0 \+ 0, must be a multiple of 2, got 3"),
        id="remainder",
    ),
    nd(
        "SpaceToBatchND",
        [[[1, 2]], [0], [[0, 0]]],
        expected=raises(r"block_shape\[0\] = 0 is not at least 1"),
        id="zero",
    ),
    nd(
        "SpaceToBatchND",
        [[[1, 2]], [1], [[0, -1]]],
        expected=raises(r"paddings\[0,1\] = -1 is negative"),
        id="negative",
    ),
    Case("SpaceToBatch", [SQUARE, NONE], PLAIN_PAIR, [[[[1]]], [[[2]]], [[[3]]], [[[4]]]]),
    Case("SpaceToBatch", [IMAGE, NONE], PLAIN_PAIR, QUARTERS, id="quarters"),
    Case("SpaceToBatch", [TWO, NONE], PLAIN_PAIR, TWO_CUT, id="two"),
    nd("BatchToSpaceND", [[[[[1]]], [[[2]]], [[[3]]], [[[4]]]], [2, 2], NONE], expected=SQUARE),
    nd(
        "BatchToSpaceND",
        [column(np.arange(1, 13), [4, 1, 1, 3]), [2, 2], NONE],
        expected=COLOURS,
        id="colours",
    ),
    nd("BatchToSpaceND", [QUARTERS, [2, 2], NONE], expected=IMAGE, id="quarters"),
    nd(
        "BatchToSpaceND",
        [TWO_PADDED, [2, 2], [[0, 0], [2, 0]]],
        expected=TWO,
        id="cropped",
    ),
    nd("BatchToSpaceND", [[3, 4], NO_BLOCK, EMPTY_PAIRS], expected=[3, 4], id="no-block"),
    nd(
        "BatchToSpaceND",
        [[[1, 2], [3, 4]], [2], [[2, 2]]],
        expected=np.zeros((1, 0), np.int32),
        id="all-cropped",
    ),
    nd(
        "BatchToSpaceND",
        [[[1, 2], [3, 4]], [2], [[2, 3]]],
        expected=raises(r"crops\[0\] = \[2, 3\] is more than there is: 2 \* 2"),
        id="too-much",
    ),
    nd(
        "BatchToSpaceND",
        [[[1], [2], [3]], [2], [[0, 0]]],
        expected=raises("the batch of input must be a multiple of 2, got 3"),
        id="remainder",
    ),
    Case("BatchToSpace", [[[[[1]]], [[[2]]], [[[3]]], [[[4]]]], NONE], PLAIN_PAIR, SQUARE),
    Case("BatchToSpace", [QUARTERS, NONE], PLAIN_PAIR, IMAGE, id="quarters"),
    Case("BatchToSpace", [TWO_CUT, NONE], PLAIN_PAIR, TWO, id="two"),
]


test_blocks = check(CASES)


def test_shapes() -> None:
    two = {"block_shape": [2], "paddings": [[1, 1]]}
    infers("SpaceToBatchND", "[batch,n,3];[1];[1,2]", "[2*batch,n//2+1,3]", values=two)
    infers("SpaceToBatchND", "[batch,n,3];[1];[1,2]", "[?,?,3]")
    infers("SpaceToBatchND", "?;[1];[1,2]", "?", values=two)
    infers("SpaceToBatch", "?;?", "[?,?,?,?]", block_size=2)
    infers("SpaceToBatch", "[3,?,?,1];?", "[12,?,?,1]", block_size=2)
    two = {"block_shape": [2], "crops": [[1, 1]]}
    infers("BatchToSpaceND", "[batch,n,3];[1];[1,2]", "[batch//2,2*n-2,3]", values=two)
    infers("BatchToSpace", "[8,?,?,1];?", "[2,?,?,1]", block_size=2)


def test_refusals() -> None:
    refuses("SpaceToBatchND", "[1,2];[?];[1,2]", "known before the run")
    refuses("SpaceToBatchND", "[1,2];[1,1];[1,2]", "block_shape must have rank 1")
    refuses("SpaceToBatchND", "[1,2];[1];[2]", r"paddings must have shape \[1, 2\]")
    refuses("SpaceToBatch", "[4,4,1];[2,2]", "rank 4", block_size=2)
    refuses("SpaceToBatch", "[1,4,4,1];[1,2]", r"paddings must have shape \[2, 2\]", block_size=2)
    refuses("BatchToSpace", "[1,3,4,1];[2,2]", "must be a multiple of 4", block_size=2)
    refuses("BatchToSpace", "[4,3,4,1];[2]", r"crops must have shape \[2, 2\]", block_size=2)
    refuses("BatchToSpace", "[4,3,4,1];[2,2]", "block_size must be at least 2", block_size=1)


@pytest.mark.parametrize("seed", range(20))
def test_batch_to_space_undoes_space_to_batch(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 4))
    block = random.integers(1, 4, count)
    margins = random.integers(0, 3, (count, 2))
    sizes = block * 3 - margins.sum(axis=1) % block
    x = random.integers(0, 99, (2, *sizes, 2)).astype(np.int32)
    margins[:, 1] += -(sizes + margins.sum(axis=1)) % block
    with td.Graph().as_default(), td.Session() as session:
        there = td.space_to_batch_nd(x, block, margins)
        np.testing.assert_array_equal(session.run(td.batch_to_space_nd(there, block, margins)), x)


@pytest.mark.parametrize("fed", [False, True])
def test_required_paddings(fed: bool) -> None:
    sizes, block = np.array([3, 8, 1], np.int32), np.array([2, 4, 5], np.int32)
    base = np.array([[0, 0], [1, 1], [2, 0]], np.int32)
    with td.Graph().as_default(), td.Session() as session:
        given = td.placeholder_with_default(sizes, [None]) if fed else sizes
        paddings, crops = session.run(td.required_space_to_batch_paddings(given, block, base))
        plain, _ = session.run(td.required_space_to_batch_paddings(given, block))
    assert paddings.tolist() == [[0, 1], [1, 3], [2, 2]]
    assert crops.tolist() == [[0, 1], [0, 2], [0, 2]]
    assert plain.tolist() == [[0, 1], [0, 0], [0, 4]]


def test_required_paddings_are_known_before_the_run() -> None:
    with td.Graph().as_default():
        paddings, _ = td.required_space_to_batch_paddings([3], [2])
        np.testing.assert_array_equal(td.constant_value(paddings), [[0, 1]])
        none, crops = td.required_space_to_batch_paddings(np.zeros(0, np.int32), [])
        assert (none.shape.as_list(), crops.shape.as_list()) == ([0, 2], [0, 2])


def test_required_paddings_refuses_shapes() -> None:
    with td.Graph().as_default():
        with pytest.raises(ValueError, match="block_shape must be a vector of known length"):
            td.required_space_to_batch_paddings([1], td.placeholder(td.int32, [None]))
        with pytest.raises(ValueError, match=r"input_shape must have shape \(2,\), got \(1,\)"):
            td.required_space_to_batch_paddings([1], [2, 2])
        with pytest.raises(ValueError, match=r"base_paddings must have shape \(1, 2\), got \(2,\)"):
            td.required_space_to_batch_paddings([1], [2], [0, 0])
