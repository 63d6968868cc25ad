"""The documents' examples of gathering, scattering, partitions, masks and sets."""

from __future__ import annotations

import numpy as np
from documents import ALL, SINCE_8, SINCE_11, Example

import tensordraft as td

TABLE = {"params": [[1, 2], [3, 4], [5, 6]], "permutation": [2, 0, 1]}

GATHER = [
    Example("gather", ALL, "gather(params, 1)", [3, 4], TABLE),
    Example("gather", ALL, "gather(params, [2, 0])", [[5, 6], [1, 2]], TABLE),
    Example("gather", ALL, "gather(params, [[1], [1]])", [[[3, 4]], [[3, 4]]], TABLE),
    Example("gather", ALL, "gather(params, permutation)", [[5, 6], [1, 2], [3, 4]], TABLE),
]

SQUARE = [["a", "b"], ["c", "d"]]
CUBE = [[["a0", "b0"], ["c0", "d0"]], [["a1", "b1"], ["c1", "d1"]]]

# In r0.8 the indices name elements only, not slices.
GATHER_ND = [
    Example(
        "gather_nd",
        documents,
        "gather_nd(params, indices)",
        output,
        {"params": params, "indices": indices},
    )
    for documents, params, indices, output in [
        (SINCE_8, SQUARE, [[0, 0], [1, 1]], ["a", "d"]),
        (SINCE_11, SQUARE, [[1], [0]], [["c", "d"], ["a", "b"]]),
        (SINCE_11, CUBE, [[1]], [[["a1", "b1"], ["c1", "d1"]]]),
        (SINCE_11, CUBE, [[0, 1], [1, 0]], [["c0", "d0"], ["a1", "b1"]]),
        (SINCE_8, CUBE, [[0, 0, 1], [1, 0, 1]], ["b0", "b1"]),
        (SINCE_8, SQUARE, [[[0, 0]], [[0, 1]]], [["a"], ["b"]]),
        (SINCE_11, SQUARE, [[[1]], [[0]]], [[["c", "d"]], [["a", "b"]]]),
        (
            SINCE_11,
            CUBE,
            [[[1]], [[0]]],
            [[[["a1", "b1"], ["c1", "d1"]]], [[["a0", "b0"], ["c0", "d0"]]]],
        ),
        (
            SINCE_11,
            CUBE,
            [[[0, 1], [1, 0]], [[0, 0], [1, 1]]],
            [[["c0", "d0"], ["a1", "b1"]], [["a0", "b0"], ["c1", "d1"]]],
        ),
        (
            SINCE_8,
            CUBE,
            [[[0, 0, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 0]]],
            [["b0", "b1"], ["d0", "c1"]],
        ),
    ]
]

ROWS = [[5, 5, 5, 5], [6, 6, 6, 6], [7, 7, 7, 7], [8, 8, 8, 8]]
NONE = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]

SCATTER_ND = [
    Example(
        "scatter_nd",
        "r0.12",
        "scatter_nd(indices, updates, shape)",
        [0, 11, 0, 10, 9, 0, 0, 12],
        {"indices": [[4], [3], [1], [7]], "updates": [9, 10, 11, 12], "shape": [8]},
    ),
    Example(
        "scatter_nd",
        "r0.12",
        "scatter_nd(indices, updates, shape)",
        [ROWS, NONE, ROWS, NONE],
        {"indices": [[0], [2]], "updates": [ROWS, ROWS], "shape": [4, 4, 4]},
    ),
]

PARTITIONS = [
    Example(
        "dynamic_partition",
        ALL,
        "dynamic_partition(data, partitions, 2)",
        (np.zeros((0, 2), np.int32), [[10, 20]]),
        {"data": [10, 20], "partitions": 1},
    ),
    Example(
        "dynamic_partition",
        ALL,
        "dynamic_partition(data, partitions, num_partitions=2)",
        ([10, 20, 50], [30, 40]),
        {"data": [10, 20, 30, 40, 50], "partitions": [0, 0, 1, 1, 0]},
    ),
    # r0.11 prints a sixth partition for five data.
    Example(
        "dynamic_partition",
        "r0.11",
        "dynamic_partition(data, partitions, num_partitions=2)",
        ValueError,
        {"data": [10, 20, 30, 40, 50], "partitions": [0, 0, 1, 1, 0, 1]},
    ),
    Example(
        "dynamic_stitch",
        ALL,
        "dynamic_stitch([i0, i1, i2], [d0, d1, d2])",
        [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [61, 62]],
        {
            "i0": 6,
            "i1": [4, 1],
            "i2": [[5, 2], [0, 3]],
            "d0": [61, 62],
            "d1": [[41, 42], [11, 12]],
            "d2": [[[51, 52], [21, 22]], [[1, 2], [31, 32]]],
        },
    ),
    # values are merged in order: the later one wins
    Example("dynamic_stitch", ALL, "dynamic_stitch([[0, 1], [1]], [[1, 2], [3]])", [1, 3], {}),
]

MASKS = [
    Example(
        "boolean_mask",
        SINCE_8,
        "boolean_mask(tensor, mask)",
        [0, 2],
        {"tensor": [0, 1, 2, 3], "mask": [True, False, True, False]},
    ),
    Example(
        "boolean_mask",
        SINCE_8,
        "boolean_mask(tensor, mask)",
        [[1, 2], [5, 6]],
        {"tensor": [[1, 2], [3, 4], [5, 6]], "mask": [True, False, True]},
    ),
    Example(
        "boolean_mask",
        SINCE_8,
        "boolean_mask(tensor, mask)",
        ValueError,
        {"tensor": [0, 1, 2], "mask": [True, False]},
    ),
    Example(
        "sequence_mask",
        SINCE_11,
        "sequence_mask([1, 3, 2], 5)",
        [
            [True, False, False, False, False],
            [True, True, True, False, False],
            [True, True, False, False, False],
        ],
        {},
    ),
    Example(
        "sequence_mask", SINCE_11, "sequence_mask(n, dtype=int32)", [[1, 0], [1, 1]], {"n": [1, 2]}
    ),
]

ONE_HOT = [
    Example(
        "one_hot",
        SINCE_8,
        "one_hot(indices, 3, on_value=5.0, off_value=0.0, axis=-1)",
        [[5.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]],
        {"indices": [0, 2, -1, 1]},
    ),
    Example(
        "one_hot",
        SINCE_8,
        "one_hot(indices, 3, on_value=1.0, off_value=0.0, axis=-1)",
        [[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]],
        {"indices": [[0, 2], [1, -1]]},
    ),
    Example(
        "one_hot",
        SINCE_8,
        "one_hot(indices, depth)",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        {"indices": [0, 1, 2], "depth": 3},
    ),
    Example("one_hot", SINCE_8, "shape(one_hot(2, 5))", [5], {}),
    Example("one_hot", SINCE_8, "shape(one_hot(i, 5))", [3, 5], {"i": [0, 1, 2]}),
    Example("one_hot", SINCE_8, "shape(one_hot(i, 5, axis=0))", [5, 3], {"i": [0, 1, 2]}),
    Example("one_hot", SINCE_8, "shape(one_hot(i, 5))", [1, 2, 5], {"i": [[0, 1]]}),
    Example("one_hot", SINCE_8, "shape(one_hot(i, 5, axis=1))", [1, 5, 2], {"i": [[0, 1]]}),
    Example("one_hot", SINCE_8, "shape(one_hot(i, 5, axis=0))", [5, 1, 2], {"i": [[0, 1]]}),
    Example("one_hot", SINCE_8, "one_hot(i, 2, 7, 3)", [[7, 3], [3, 7]], {"i": [0, 1]}),
    Example(
        "one_hot",
        SINCE_8,
        "one_hot([1], 2, dtype=bool, on_value=True, off_value=False)",
        [[False, True]],
        {},
    ),
    Example("one_hot", SINCE_8, "one_hot([1], 2, on_value=1.0, dtype=int32)", TypeError, {}),
    Example("one_hot", SINCE_8, "one_hot([1], 2, on_value=1.0, off_value=0)", TypeError, {}),
    Example("one_hot", SINCE_8, "one_hot([1], 2, dtype=string)", TypeError, {}),
]

SETS = [
    Example(
        "unique_with_counts",
        SINCE_8,
        "unique_with_counts(x)",
        ([1, 2, 4, 7, 8], [0, 0, 1, 2, 2, 2, 3, 4, 4], [2, 1, 3, 1, 2]),
        {"x": [1, 1, 2, 4, 4, 4, 7, 8, 8]},
    ),
    Example(
        "setdiff1d",
        "r0.12",
        "setdiff1d(x, y)",
        ([2, 4, 6], [1, 3, 5]),
        {"x": [1, 2, 3, 4, 5, 6], "y": [1, 3, 5]},
    ),
    Example("gather", ALL, "gather([1, 2], i)", td.errors.InvalidArgumentError, {"i": [2]}),
]

EXAMPLES = [*GATHER, *GATHER_ND, *SCATTER_ND, *PARTITIONS, *MASKS, *ONE_HOT, *SETS]
