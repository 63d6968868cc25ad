"""Space to depth and back. The examples are those of the documents."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

TWO = {"block_size": 2}
BLOCKS = np.array([[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]], np.int32)
NHWC = np.arange(1, 13, dtype=np.int32)  # 1 x 2 x 2 x 3


def planes(layout: str) -> dict[str, object]:
    return {"block_size": 2, "data_format": layout}


CASES = [
    Case("SpaceToDepth", [[[[[1], [2]], [[3], [4]]]]], TWO, [[[[1, 2, 3, 4]]]]),
    Case("SpaceToDepth", [NHWC.reshape(1, 2, 2, 3)], TWO, NHWC.reshape(1, 1, 1, 12), id="colours"),
    Case(
        "SpaceToDepth",
        [BLOCKS.reshape(1, 4, 4, 1)],
        TWO,
        np.arange(1, 17, dtype=np.int32).reshape(1, 2, 2, 4),
        id="larger",
    ),
    Case(
        "SpaceToDepth",
        [NHWC.reshape(1, 2, 2, 3).transpose(0, 3, 1, 2)],
        planes("NCHW"),
        NHWC.reshape(1, 12, 1, 1),
        id="planes",
    ),
    Case(
        "SpaceToDepth",
        [np.arange(16, dtype=np.int8).reshape(1, 1, 2, 2, 4)],
        planes("NCHW_VECT_C"),
        np.arange(16, dtype=np.int8).reshape(1, 4, 1, 1, 4),
        id="vectors",
    ),
    Case(
        "SpaceToDepth",
        [np.zeros((1, 3, 4, 1), np.int32)],
        TWO,
        raises("dimension 1 of input must be a multiple of 2, got 3"),
        id="remainder",
    ),
    Case("DepthToSpace", [[[[[1, 2, 3, 4]]]]], TWO, [[[[1], [2]], [[3], [4]]]]),
    Case("DepthToSpace", [NHWC.reshape(1, 1, 1, 12)], TWO, NHWC.reshape(1, 2, 2, 3), id="colours"),
    Case(
        "DepthToSpace",
        [np.arange(1, 17, dtype=np.int32).reshape(1, 2, 2, 4)],
        TWO,
        BLOCKS.reshape(1, 4, 4, 1),
        id="larger",
    ),
    Case(
        "DepthToSpace",
        [NHWC.reshape(1, 12, 1, 1)],
        planes("NCHW"),
        NHWC.reshape(1, 2, 2, 3).transpose(0, 3, 1, 2),
        id="planes",
    ),
    Case(
        "DepthToSpace",
        [np.arange(16, dtype=np.int8).reshape(1, 4, 1, 1, 4)],
        planes("NCHW_VECT_C"),
        np.arange(16, dtype=np.int8).reshape(1, 1, 2, 2, 4),
        id="vectors",
    ),
    Case(
        "DepthToSpace",
        [np.zeros((1, 1, 1, 6), np.int32)],
        TWO,
        raises("dimension 3 of input must be a multiple of 4, got 6"),
        id="remainder",
    ),
]


test_depth = check(CASES)


def test_shapes() -> None:
    infers("SpaceToDepth", "[n,h,w,3]", "[n,h//2,w//2,12]", **TWO)
    infers("SpaceToDepth", "[n,3,h,w]", "[n,12,h//2,w//2]", **planes("NCHW"))
    infers("SpaceToDepth", "?", "[?,?,?,?]", **TWO)
    infers("DepthToSpace", "[n,h,w,12]", "[n,2*h,2*w,3]", **TWO)
    infers("DepthToSpace", "[n,c,h,w,4]", "[n,c//4,2*h,2*w,4]", **planes("NCHW_VECT_C"))


def test_refusals() -> None:
    refuses("SpaceToDepth", "[1,2,2]", "rank 4", **TWO)
    refuses("SpaceToDepth", "[1,2,2,1]", "rank 5", **planes("NCHW_VECT_C"))
    refuses("DepthToSpace", "[1,2,2,1]", "block_size must be at least 2", block_size=0)
