"""The documents' examples of casting, shapes and shaping."""

from __future__ import annotations

import numpy as np
from documents import ALL, SINCE_8, SINCE_11, UNTIL_11, Example

import tensordraft as td

BLOCK = [[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]]
TALL = [[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]]
HALVES = [[1, 1, 1, 2, 2, 2, 3, 3, 3], [4, 4, 4, 5, 5, 5, 6, 6, 6]]
ONES = {"t": np.zeros((1, 2, 1, 3, 1, 1), np.float32)}
PAIR = {"t": np.zeros(2, np.float32), "t2": np.zeros((2, 3, 5), np.float32)}
FLOATS = {"x": np.array([1.75, -2.5])}

CASTING = [
    Example("cast", ALL, "cast(a, int32)", [1, 2], {"a": [1.8, 2.2]}),
    Example("string_to_number", ALL, "string_to_number(s)", [1.5, -2.0], {"s": ["1.5", "-2"]}),
    Example("string_to_number", ALL, "string_to_number(s, int32)", [7], {"s": ["7"]}),
    Example("string_to_number", ALL, "string_to_number(s)", [float("inf")], {"s": ["1e50"]}),
    Example("to_double", ALL, "to_double(x)", np.array([1.5]), {"x": [1.5]}),
    Example("to_float", ALL, "to_float(x)", [1.75, -2.5], FLOATS),
    Example("to_bfloat16", ALL, "to_bfloat16(x)", ([1.75, -2.5], "bfloat16"), FLOATS),
    Example("to_int32", ALL, "to_int32(x)", [1, -2], FLOATS),
    Example("to_int64", ALL, "to_int64(x)", ([1, -2], "int64"), FLOATS),
    # [...] becomes [..., sizeof(T) / sizeof(type)], and back
    Example("bitcast", SINCE_8, "shape(bitcast(x, uint8))", [3, 4], {"x": [1, 2, 3]}),
    Example("bitcast", SINCE_8, "bitcast(bitcast(x, uint8), int32)", [1, 2, 3], {"x": [1, 2, 3]}),
    Example("bitcast", SINCE_8, "bitcast(x, float32)", [1.0], {"x": [0x3F800000]}),
    Example(
        "saturate_cast", SINCE_8, "saturate_cast(x, uint8)", ([255, 0], "uint8"), {"x": [300, -5]}
    ),
    Example(
        "string_to_number",
        ALL,
        "string_to_number(s, int32)",
        td.errors.InvalidArgumentError,
        {"s": ["99999999999"]},
    ),
]

SHAPES = [
    Example("shape", ALL, "shape(t)", [2, 2, 3], {"t": BLOCK}),
    Example("shape", SINCE_11, "shape(t, out_type=int64)", ([2, 2, 3], "int64"), {"t": BLOCK}),
    Example("shape_n", SINCE_8, "shape_n([t, x])", ([2, 2, 3], [1]), {"t": BLOCK, "x": [1]}),
    Example("size", ALL, "size(t)", 12, {"t": BLOCK}),
    Example("rank", ALL, "rank(t)", 3, {"t": BLOCK}),
    Example(
        "broadcast_dynamic_shape",
        "r0.12",
        "broadcast_dynamic_shape(x, y)",
        [4, 2, 3],
        {"x": [2, 1], "y": [4, 1, 3]},
    ),
]

RESHAPE = [
    Example(
        "reshape",
        ALL,
        "reshape(t, [3, 3])",
        [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
        {"t": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
    ),
    Example(
        "reshape",
        ALL,
        "reshape(t, [2, 4])",
        [[1, 1, 2, 2], [3, 3, 4, 4]],
        {"t": [[[1, 1], [2, 2]], [[3, 3], [4, 4]]]},
    ),
    Example("reshape", ALL, "reshape(t, [-1])", HALVES[0] + HALVES[1], {"t": TALL}),
    Example("reshape", SINCE_8, "reshape(t, [2, -1])", HALVES, {"t": TALL}),
    Example("reshape", SINCE_8, "reshape(t, [-1, 9])", HALVES, {"t": TALL}),
    Example(
        "reshape",
        SINCE_8,
        "reshape(t, [ 2, -1, 3])",
        [[[1, 1, 1], [2, 2, 2], [3, 3, 3]], [[4, 4, 4], [5, 5, 5], [6, 6, 6]]],
        {"t": TALL},
    ),
    Example("reshape", SINCE_8, "reshape(t, [])", 7, {"t": [7]}),
]

SQUEEZE = [
    Example("squeeze", ALL, "shape(squeeze(t))", [2, 3], ONES),
    Example("squeeze", ALL, "shape(squeeze(t, [2, 4]))", [1, 2, 3, 1], ONES),
    Example("squeeze", UNTIL_11, "shape(squeeze(t, squeeze_dims=[2, 4]))", [1, 2, 3, 1], ONES),
    Example("squeeze", "r0.12", "squeeze(t, axis=[0], squeeze_dims=[2])", ValueError, ONES),
    Example("squeeze", ALL, "squeeze(t, [1])", ValueError, ONES),
    Example("expand_dims", ALL, "shape(expand_dims(t, 0))", [1, 2], PAIR),
    Example("expand_dims", ALL, "shape(expand_dims(t, 1))", [2, 1], PAIR),
    Example("expand_dims", ALL, "shape(expand_dims(t, -1))", [2, 1], PAIR),
    Example("expand_dims", ALL, "shape(expand_dims(t2, 0))", [1, 2, 3, 5], PAIR),
    Example("expand_dims", ALL, "shape(expand_dims(t2, 2))", [2, 3, 1, 5], PAIR),
    Example("expand_dims", ALL, "shape(expand_dims(t2, 3))", [2, 3, 5, 1], PAIR),
    Example("expand_dims", UNTIL_11, "shape(expand_dims(t2, dim=2))", [2, 3, 1, 5], PAIR),
    Example("expand_dims", "r0.12", "expand_dims(t, axis=0, dim=1)", ValueError, PAIR),
    Example("expand_dims", ALL, "expand_dims(t, 2)", ValueError, PAIR),
    Example("expand_dims", ALL, "expand_dims(t, -3)", ValueError, PAIR),
]

GRID = {"x": [1, 2, 3], "y": [4, 5, 6]}
COLUMNS = [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
ROWS = [[4, 5, 6], [4, 5, 6], [4, 5, 6]]

MESHGRID = [
    # r0.11 and r0.12 print the result of indexing="ij" under the call without it.
    Example(
        "meshgrid",
        SINCE_11,
        "meshgrid(x, y)",
        ([[1, 2, 3], [1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5], [6, 6, 6]]),
        GRID,
    ),
    Example("meshgrid", SINCE_11, "meshgrid(x, y, indexing='ij')", (COLUMNS, ROWS), GRID),
]

EXAMPLES = [*CASTING, *SHAPES, *RESHAPE, *SQUEEZE, *MESHGRID]
