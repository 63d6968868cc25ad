"""The documents' examples of space, batch and depth, and of image patches."""

from __future__ import annotations

import numpy as np
from documents import SINCE_8, SINCE_11, Example

SMALL = [[[[1], [2]], [[3], [4]]]]
DEEP = [[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]]
SQUARE = np.arange(1, 17, dtype=np.int32).reshape(1, 4, 4, 1)
TWO = np.arange(1, 17, dtype=np.int32).reshape(2, 2, 4, 1)

SMALL_BATCH = [[[[1]]], [[[2]]], [[[3]]], [[[4]]]]
DEEP_BATCH = [[[[1, 2, 3]]], [[[4, 5, 6]]], [[[7, 8, 9]]], [[[10, 11, 12]]]]
# Printed with [[5], [7]], [[10], [12]], [[5], [7]] and [[6], [8]] in the places of the second rows
# of the first two and the first rows of the last two; and with one bracket too few in `DEEP_BATCH`.
SQUARE_BATCH = [
    [[[1], [3]], [[9], [11]]],
    [[[2], [4]], [[10], [12]]],
    [[[5], [7]], [[13], [15]]],
    [[[6], [8]], [[14], [16]]],
]
TWO_BATCH = [
    [[[1], [3]]],
    [[[9], [11]]],
    [[[2], [4]]],
    [[[10], [12]]],
    [[[5], [7]]],
    [[[13], [15]]],
    [[[6], [8]]],
    [[[14], [16]]],
]
TWO_PADDED_BATCH = [
    [[[0], [1], [3]]],
    [[[0], [9], [11]]],
    [[[0], [2], [4]]],
    [[[0], [10], [12]]],
    [[[0], [5], [7]]],
    [[[0], [13], [15]]],
    [[[0], [6], [8]]],
    [[[0], [14], [16]]],
]

# The space, the padding that becomes the crop, the batch. The fourth pair of `batch_to_space` is
# printed with the result of the third.
PAIRS_ND = [
    (SMALL, "[[0, 0], [0, 0]]", SMALL_BATCH),
    (DEEP, "[[0, 0], [0, 0]]", DEEP_BATCH),
    (SQUARE, "[[0, 0], [0, 0]]", SQUARE_BATCH),
    (TWO, "[[0, 0], [2, 0]]", TWO_PADDED_BATCH),
]
PAIRS = [(space, batch) for space, _, batch in PAIRS_ND[:3]] + [(TWO, TWO_BATCH)]

BATCHES = [
    *[
        Example(
            "space_to_batch_nd",
            SINCE_11,
            f"space_to_batch_nd(x, [2, 2], {paddings})",
            batch,
            {"x": space},
        )
        for space, paddings, batch in PAIRS_ND
    ],
    *[
        Example(
            "batch_to_space_nd",
            SINCE_11,
            f"batch_to_space_nd(x, [2, 2], {crops})",
            space,
            {"x": batch},
        )
        for space, crops, batch in PAIRS_ND
    ],
    *[
        Example(
            "space_to_batch",
            SINCE_8,
            "space_to_batch(x, [[0, 0], [0, 0]], 2)",
            batch,
            {"x": space},
        )
        for space, batch in PAIRS
    ],
    *[
        Example(
            "batch_to_space",
            SINCE_8,
            "batch_to_space(x, [[0, 0], [0, 0]], block_size=2)",
            space,
            {"x": batch},
        )
        for space, batch in PAIRS
    ],
    Example(
        "space_to_batch",
        SINCE_8,
        "space_to_batch(x, [[0, 1], [0, 0]], 2)",
        ValueError,
        {"x": SMALL},
    ),
    # paddings[i, 1] is the least that makes the size a multiple; crops[i, 1] is what it adds
    Example(
        "required_space_to_batch_paddings",
        SINCE_11,
        "required_space_to_batch_paddings(sizes, blocks)",
        ([[0, 1], [0, 2]], [[0, 1], [0, 2]]),
        {"sizes": [5, 4], "blocks": [2, 3]},
    ),
    Example(
        "required_space_to_batch_paddings",
        SINCE_11,
        "required_space_to_batch_paddings(sizes, blocks, [[1, 0], [0, 1]])",
        ([[1, 0], [0, 2]], [[0, 0], [0, 1]]),
        {"sizes": [5, 4], "blocks": [2, 3]},
    ),
    Example(
        "required_space_to_batch_paddings",
        SINCE_11,
        "required_space_to_batch_paddings([5, 4], [2, 3, 4])",
        ValueError,
        {},
    ),
]

DEPTHS = [
    (SMALL, [[[[1, 2, 3, 4]]]]),
    (DEEP, [[[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]]]),
    (
        [
            [
                [[1], [2], [5], [6]],
                [[3], [4], [7], [8]],
                [[9], [10], [13], [14]],
                [[11], [12], [15], [16]],
            ]
        ],
        [[[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 10, 11, 12], [13, 14, 15, 16]]]],
    ),
]

DEPTH = [
    *[
        Example("space_to_depth", SINCE_8, "space_to_depth(x, 2)", depth, {"x": space})
        for space, depth in DEPTHS
    ],
    *[
        Example("depth_to_space", SINCE_8, "depth_to_space(x, 2)", space, {"x": depth})
        for space, depth in DEPTHS
    ],
    Example("space_to_depth", SINCE_8, "space_to_depth(x, 3)", ValueError, {"x": SMALL}),
    Example("depth_to_space", SINCE_8, "depth_to_space(x, 2)", ValueError, {"x": SMALL}),
]

IMAGE = {"images": np.arange(16, dtype=np.int32).reshape(1, 4, 4, 1)}
CORNERS = [[[[0, 1, 4, 5], [2, 3, 6, 7]], [[8, 9, 12, 13], [10, 11, 14, 15]]]]

# The documents give no numbers; r0.8 has another order, and r0.11 once writes `ksize`.
PATCHES = [
    Example(
        "extract_image_patches",
        SINCE_11,
        "extract_image_patches(images, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')",
        CORNERS,
        IMAGE,
    ),
    Example(
        "extract_image_patches",
        "r0.8",
        "extract_image_patches(images, 'VALID', [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])",
        CORNERS,
        IMAGE,
    ),
    Example(
        "extract_image_patches",
        SINCE_8,
        "shape(extract_image_patches(images, ksizes=[1, 3, 3, 1], strides=[1, 2, 2, 1], "
        "rates=[1, 1, 1, 1], padding='SAME'))",
        [1, 2, 2, 9],
        IMAGE,
    ),
]

EXAMPLES = [*BATCHES, *DEPTH, *PATCHES]
