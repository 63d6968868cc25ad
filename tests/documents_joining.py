"""The documents' examples of slicing, joining, padding, reversing and transposing."""

from __future__ import annotations

import numpy as np
from documents import ALL, SINCE_8, SINCE_11, UNTIL_11, Example

INPUT = {"input": [[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]]}
CUBE = np.arange(7 * 8 * 9).reshape(7, 8, 9)
LONG = np.arange(900).reshape(10, 3, 3, 10)
TABLE = np.arange(80).reshape(10, 8)
WIDE = {"value": np.zeros((5, 30), np.float32)}

SLICE = [
    Example("slice", ALL, "slice(input, [1, 0, 0], [1, 1, 3])", [[[3, 3, 3]]], INPUT),
    Example("slice", ALL, "slice(input, [1, 0, 0], [1, 2, 3])", [[[3, 3, 3], [4, 4, 4]]], INPUT),
    Example("slice", ALL, "slice(input, [1, 0, 0], [2, 1, 3])", [[[3, 3, 3]], [[5, 5, 5]]], INPUT),
    Example("slice", ALL, "slice(input, [1, 0, 0], [-1, 1, -1])", [[[3] * 3], [[5] * 3]], INPUT),
    # r0.11 writes `slice` for `strided_slice` in these three.
    Example(
        "strided_slice",
        SINCE_11,
        "strided_slice(input, [1, 0, 0], [2, 1, 3], [1, 1, 1])",
        [[[3, 3, 3]]],
        INPUT,
    ),
    Example(
        "strided_slice",
        SINCE_11,
        "strided_slice(input, [1, 0, 0], [2, 2, 3], [1, 1, 1])",
        [[[3, 3, 3], [4, 4, 4]]],
        INPUT,
    ),
    # The end -1 counts from the back, so this is empty. The documents print
    # [[[4, 4, 4], [3, 3, 3]]], which is what an end of -3 gives.
    Example(
        "strided_slice",
        SINCE_11,
        "strided_slice(input, [1, 1, 0], [2, -1, 3], [1, -1, 1])",
        np.zeros((1, 0, 3), np.int32),
        INPUT,
    ),
    Example(
        "strided_slice",
        SINCE_11,
        "strided_slice(input, [1, 1, 0], [2, -3, 3], [1, -1, 1])",
        [[[4, 4, 4], [3, 3, 3]]],
        INPUT,
    ),
    Example("strided_slice", SINCE_11, "foo[5:,:,:3]", CUBE[5:7, 0:8, 0:3], {"foo": CUBE}),
    Example("strided_slice", SINCE_11, "foo[::-1]", [4, 3, 2, 1], {"foo": [1, 2, 3, 4]}),
    Example("strided_slice", SINCE_11, "foo[3:5,...,4:5]", LONG[3:5, :, :, 4:5], {"foo": LONG}),
    Example("strided_slice", SINCE_11, "foo[3:5,...]", LONG[3:5], {"foo": LONG}),
    Example("strided_slice", SINCE_11, "shape(foo[3:5,4])", [2], {"foo": TABLE}),
    Example("strided_slice", SINCE_11, "shape(foo[3:5,4:5])", [2, 1], {"foo": TABLE}),
]

SPLIT = [
    Example(
        "split",
        "r0.12",
        "shape_n(split(value, [4, 15, 11], 1))",
        ([5, 4], [5, 15], [5, 11]),
        WIDE,
    ),
    Example(
        "split",
        "r0.12",
        "shape_n(split(value, num_or_size_splits=3, axis=1))",
        ([5, 10], [5, 10], [5, 10]),
        WIDE,
    ),
    Example("split", UNTIL_11, "shape_n(split(1, 3, value))", ([5, 10], [5, 10], [5, 10]), WIDE),
    Example(
        "split",
        UNTIL_11,
        "split(split_dim=0, num_split=2, value=t, name='halves')",
        ([[1, 2]], [[3, 4]]),
        {"t": [[1, 2], [3, 4]]},
    ),
    Example(
        "split",
        "r0.11",
        "[squeeze(s, [1]) for s in split(1, 2, t)]",
        ([1, 3], [2, 4]),
        {"t": [[1, 2], [3, 4]]},
    ),
    Example("split", "r0.11", "unpack(t, axis=1)", ([1, 3], [2, 4]), {"t": [[1, 2], [3, 4]]}),
    Example("split", ALL, "split(value, 4, 1)", ValueError, WIDE),
]

ABCD = ["a", "b", "c", "d"]
PADDED = {"t": [[1, 2, 3], [4, 5, 6]], "paddings": [[1, 1], [2, 2]]}
ZEROS = [0, 0, 0, 0, 0, 0, 0]

PAD = [
    Example("tile", ALL, "tile(t, [2])", [*ABCD, *ABCD], {"t": ABCD}),
    Example(
        "pad",
        SINCE_8,
        'pad(t, paddings, "CONSTANT")',
        [ZEROS, [0, 0, 1, 2, 3, 0, 0], [0, 0, 4, 5, 6, 0, 0], ZEROS],
        PADDED,
    ),
    Example(
        "pad",
        SINCE_8,
        'pad(t, paddings, "REFLECT")',
        [
            [6, 5, 4, 5, 6, 5, 4],
            [3, 2, 1, 2, 3, 2, 1],
            [6, 5, 4, 5, 6, 5, 4],
            [3, 2, 1, 2, 3, 2, 1],
        ],
        PADDED,
    ),
    Example(
        "pad",
        SINCE_8,
        'pad(t, paddings, "SYMMETRIC")',
        [
            [2, 1, 1, 2, 3, 3, 2],
            [2, 1, 1, 2, 3, 3, 2],
            [5, 4, 4, 5, 6, 6, 5],
            [5, 4, 4, 5, 6, 6, 5],
        ],
        PADDED,
    ),
    # r0.5 prints five rows of five, which no paddings give.
    Example(
        "pad",
        "r0.5",
        "pad(t, paddings)",
        [[0] * 6, [0, 0, 1, 1, 0, 0], [0, 0, 2, 2, 0, 0], [0] * 6],
        {"t": [[1, 1], [2, 2]], "paddings": [[1, 1], [2, 2]]},
    ),
    Example("pad", "r0.5", "pad(input=t, paddings=[[1, 0]])", [0, 5], {"t": [5]}),
    Example("pad", SINCE_8, 'pad(t, paddings, "NOSUCH")', ValueError, PADDED),
]

T1_T2 = {"t1": [[1, 2, 3], [4, 5, 6]], "t2": [[7, 8, 9], [10, 11, 12]]}
DOWN = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
ACROSS = [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]
XYZ = {"x": [1, 4], "y": [2, 5], "z": [3, 6]}
STACKED = [[1, 4], [2, 5], [3, 6]]
TURNED = [[1, 2, 3], [4, 5, 6]]

JOIN = [
    Example("concat", ALL, "concat(0, [t1, t2])", DOWN, T1_T2),
    Example("concat", ALL, "concat(1, [t1, t2])", ACROSS, T1_T2),
    Example("concat", ALL, "shape(concat(0, [t1, t2]))", [4, 3], T1_T2),
    Example("concat", ALL, "shape(concat(1, [t1, t2]))", [2, 6], T1_T2),
    Example("concat", ALL, "concat(concat_dim=0, values=[t1, t2])", DOWN, T1_T2),
    Example("concat_v2", "r0.12", "concat_v2([t1, t2], 0)", DOWN, T1_T2),
    Example("concat_v2", "r0.12", "concat_v2([t1, t2], 1)", ACROSS, T1_T2),
    Example("concat_v2", "r0.12", "shape(concat_v2([t1, t2], 0))", [4, 3], T1_T2),
    Example("concat_v2", "r0.12", "shape(concat_v2([t1, t2], 1))", [2, 6], T1_T2),
    Example("concat", SINCE_11, "concat(1, [expand_dims(t, 1) for t in [x, y, z]])", TURNED, XYZ),
    Example("pack", SINCE_11, "pack([x, y, z], axis=1)", TURNED, XYZ),
    Example("pack", ALL, "pack([x, y, z])", STACKED, XYZ),
    Example("stack", "r0.12", "stack([x, y, z])", STACKED, XYZ),
    Example("stack", "r0.12", "stack([x, y, z], axis=1)", TURNED, XYZ),
    Example("parallel_stack", "r0.12", "parallel_stack([x, y, z])", STACKED, XYZ),
    Example("unpack", ALL, "unpack(t)", ([1, 4], [2, 5], [3, 6]), {"t": STACKED}),
    Example("unpack", ALL, "unpack(t, 3)", ([1, 4], [2, 5], [3, 6]), {"t": STACKED}),
    Example("unpack", SINCE_11, "unpack(t, axis=-1)", ([1, 2, 3], [4, 5, 6]), {"t": STACKED}),
    Example("unstack", "r0.12", "unstack(t)", ([1, 4], [2, 5], [3, 6]), {"t": STACKED}),
    Example("unstack", "r0.12", "unstack(t, axis=1)", ([1, 2, 3], [4, 5, 6]), {"t": STACKED}),
    Example("stack", "r0.12", "stack([x, y, z], axis=2)", ValueError, XYZ),
    Example("stack", "r0.12", "stack([x, y, z], axis=-3)", ValueError, XYZ),
    Example("unstack", "r0.12", "unstack(t, axis=2)", ValueError, {"t": STACKED}),
    Example("unstack", "r0.12", "unstack(placeholder(int32, [None]))", ValueError, {}),
]

SEQUENCES = np.arange(4 * 8 * 2, dtype=np.int32).reshape(4, 8, 2)
LENGTHS = [7, 2, 3, 5]
# The first `LENGTHS[i]` steps are turned round. The documents write input[0, 7:0:-1], which lacks
# the first step, and copy the last sequence from 2 on, where its length is 5.
REVERSED = np.stack(
    [np.concatenate([x[:n][::-1], x[n:]]) for x, n in zip(SEQUENCES, LENGTHS, strict=True)]
)
# Steps first, sequences third: as (8, ?, 4, ...) in the documents.
STEPS_FIRST = {"input": SEQUENCES.transpose(1, 2, 0), "seq_lengths": LENGTHS}
BATCH_FIRST = {"input": SEQUENCES, "seq_lengths": LENGTHS}
TURNED_STEPS = REVERSED.transpose(1, 2, 0)

REVERSE_SEQUENCE = [
    Example(
        "reverse_sequence",
        "r0.5",
        "reverse_sequence(input, seq_lengths, 1)",
        REVERSED,
        BATCH_FIRST,
    ),
    Example(
        "reverse_sequence",
        "r0.8 r0.11",
        "reverse_sequence(input, seq_lengths, seq_dim=1, batch_dim=0)",
        REVERSED,
        BATCH_FIRST,
    ),
    Example(
        "reverse_sequence",
        "r0.8 r0.11",
        "reverse_sequence(input, seq_lengths, seq_dim=0, batch_dim=2)",
        TURNED_STEPS,
        STEPS_FIRST,
    ),
    Example(
        "reverse_sequence",
        "r0.12",
        "reverse_sequence(input, seq_lengths, seq_axis=1, batch_axis=0)",
        REVERSED,
        BATCH_FIRST,
    ),
    Example(
        "reverse_sequence",
        "r0.12",
        "reverse_sequence(input, seq_lengths, 0, 2)",
        TURNED_STEPS,
        STEPS_FIRST,
    ),
]

T = np.arange(24, dtype=np.int32).reshape(1, 2, 3, 4)
LAST = [
    [
        [[3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8]],
        [[15, 14, 13, 12], [19, 18, 17, 16], [23, 22, 21, 20]],
    ]
]
SECOND = [
    [
        [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]],
        [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
    ]
]
THIRD = [
    [
        [[8, 9, 10, 11], [4, 5, 6, 7], [0, 1, 2, 3]],
        [[20, 21, 22, 23], [16, 17, 18, 19], [12, 13, 14, 15]],
    ]
]

REVERSE = [
    Example(function, documents, f"{function}(t, dims)", result, {"t": T, "dims": dims})
    for function, documents, dims, result in [
        ("reverse", UNTIL_11, [False, False, False, True], LAST),
        ("reverse", UNTIL_11, [False, True, False, False], SECOND),
        ("reverse", UNTIL_11, [False, False, True, False], THIRD),
        *[
            (function, "r0.12", dims, result)
            for function in ("reverse", "reverse_v2")
            for dims, result in [
                ([3], LAST),
                ([-1], LAST),  # printed as -1, of which TensorFlow wants a vector
                ([1], SECOND),
                ([-3], SECOND),
                ([2], THIRD),
                ([-2], THIRD),
            ]
        ],
    ]
] + [
    Example("reverse", "r0.12", "reverse(t, [1, -3])", ValueError, {"t": T}),
    Example("reverse", UNTIL_11, "reverse(t, [True])", ValueError, {"t": T}),
    Example("reverse", UNTIL_11, "reverse(tensor=t, dims=[True])", [2, 1], {"t": [1, 2]}),
]

MATRIX = {"x": [[1, 2, 3], [4, 5, 6]]}
MATRICES = {"x": [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]}

TRANSPOSE = [
    Example("transpose", ALL, "transpose(x)", [[1, 4], [2, 5], [3, 6]], MATRIX),
    Example("transpose", SINCE_8, "transpose(x, perm=[1, 0])", [[1, 4], [2, 5], [3, 6]], MATRIX),
    # r0.5 prints transpose(x perm=[0, 1]) with the result of [1, 0]; [0, 1] changes nothing.
    Example("transpose", "r0.5", "transpose(x, perm=[0, 1])", MATRIX["x"], MATRIX),
    Example(
        "transpose",
        ALL,
        "transpose(x, perm=[0, 2, 1])",
        [[[1, 4], [2, 5], [3, 6]], [[7, 10], [8, 11], [9, 12]]],
        MATRICES,
    ),
]

EXAMPLES = [*SLICE, *SPLIT, *PAD, *JOIN, *REVERSE_SEQUENCE, *REVERSE, *TRANSPOSE]
