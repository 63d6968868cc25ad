"""Examples of r0.12's documents on quantization, fake quantization and in-place updates."""

from __future__ import annotations

import numpy as np
from documents import Example

RELU6 = {"x": ([0, 255, 51], "quint8")}
SIGNED = {"x": ([-128, 127, -77], "qint8")}
FLOATS = {"x": [0.0, 6.0, 1.2]}
BOUNDS = (0.0, 6.0)

# "Dequantize on quint8 will take each value, cast to float, and multiply by 6 / 255."
QUANTIZATION = [
    Example("dequantize", "r0.12", "dequantize(x, 0.0, 6.0)", [0.0, 6.0, 1.2], RELU6),
    Example("dequantize", "r0.12", "dequantize(x, 0.0, 6.0)", [0.0, 6.0, 1.2], SIGNED),
    Example(
        "dequantize", "r0.12", "dequantize(x, 0.0, 6.0, mode='MIN_FIRST')", [0.0, 6.0, 1.2], RELU6
    ),
    *[
        Example("quantize_v2", "r0.12", f"quantize_v2(x, 0.0, 6.0, {dtype}{mode})", result, FLOATS)
        for dtype, mode, result in [
            ("quint8", "", (([0, 255, 51], "quint8"), *BOUNDS)),
            ("qint8", "", (([-128, 127, -77], "qint8"), *BOUNDS)),
            ("quint8", ", mode='MIN_FIRST'", (([0, 255, 51], "quint8"), *BOUNDS)),
        ]
    ],
    Example(
        "quantized_concat",
        "r0.12",
        "quantized_concat(0, [x, y], [0.0, 0.0], [6.0, 6.0])",
        (([0, 255, 51, 7], "quint8"), *BOUNDS),
        {**RELU6, "y": ([7], "quint8")},
    ),
]

INPUTS = {"x": [-7.0, -6.0, 0.0, 6.0, 7.0], "g": [1.0, 2.0, 4.0, 8.0, 16.0]}
RANGE = {"low": -6.0, "high": 6.0}
CHANNELS = {
    "x": [[-7.0, -7.0], [0.0, 0.0], [7.0, 9.0]],
    "g": [[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]],
    "low": [-6.0, -8.0],
    "high": [6.0, 8.0],
}
# The range is nudged, so that 0 is one of the 256 steps.
LEAST, GREATEST = -6.0235295, 5.9764705
STEPS = [LEAST, -GREATEST, 0.0, GREATEST, GREATEST]

FAKE_QUANTIZATION = [
    Example(
        "fake_quant_with_min_max_args", "r0.12", "fake_quant_with_min_max_args(x)", STEPS, INPUTS
    ),
    Example(
        "fake_quant_with_min_max_vars",
        "r0.12",
        "fake_quant_with_min_max_vars(x, low, high)",
        STEPS,
        {**INPUTS, **RANGE},
    ),
    # gradients * (inputs >= min && inputs <= max), in terms of the nudged range
    Example(
        "fake_quant_with_min_max_args_gradient",
        "r0.12",
        "fake_quant_with_min_max_args_gradient(g, x)",
        [0.0, 2.0, 4.0, 0.0, 0.0],
        INPUTS,
    ),
    Example(
        "fake_quant_with_min_max_vars_gradient",
        "r0.12",
        "fake_quant_with_min_max_vars_gradient(g, x, low, high)",
        ([0.0, 2.0, 4.0, 0.0, 0.0], 1.0, 24.0),
        {**INPUTS, **RANGE},
    ),
    Example(
        "fake_quant_with_min_max_vars_per_channel",
        "r0.12",
        "fake_quant_with_min_max_vars_per_channel(x, low, high)",
        [[LEAST, -7.027451], [0.0, 0.0], [GREATEST, 8.031373]],
        CHANNELS,
    ),
    Example(
        "fake_quant_with_min_max_vars_per_channel_gradient",
        "r0.12",
        "fake_quant_with_min_max_vars_per_channel_gradient(g, x, low, high)",
        ([[0.0, 2.0], [4.0, 8.0], [0.0, 0.0]], [1.0, 0.0], [16.0, 32.0]),
        CHANNELS,
    ),
]

VALUE = {"value": [[1, 2], [3, 4], [5, 6]]}

IN_PLACE = [
    Example("empty", "r0.12", "empty([2, 1], int32, init=True)", [[0], [0]], {}),
    Example("empty", "r0.12", "shape(empty([2, 3], float32))", [2, 3], {}),
    Example(
        "empty_like", "r0.12", "empty_like(value, init=True)", np.zeros((3, 2), np.int32), VALUE
    ),
    *[
        Example(
            f"alias_inplace_{verb}", "r0.12", f"alias_inplace_{verb}({arguments})", result, VALUE
        )
        for verb, arguments, result in [
            # one row
            ("update", "value, 1, [7, 8]", [[1, 2], [7, 8], [5, 6]]),
            ("add", "value, 1, [7, 8]", [[1, 2], [10, 12], [5, 6]]),
            ("subtract", "value, 1, [7, 8]", [[1, 2], [-4, -4], [5, 6]]),
            # several rows
            ("update", "value, [0, 2], [[7, 8], [9, 0]]", [[7, 8], [3, 4], [9, 0]]),
            ("add", "value, [0, 2], [[7, 8], [9, 0]]", [[8, 10], [3, 4], [14, 6]]),
            ("subtract", "value, [0, 2], [[7, 8], [9, 0]]", [[-6, -6], [3, 4], [-4, 6]]),
            # all of it
            ("update", "value, None, [[0, 1], [2, 3], [4, 5]]", [[0, 1], [2, 3], [4, 5]]),
            ("add", "value, None, [[0, 1], [2, 3], [4, 5]]", [[1, 3], [5, 7], [9, 11]]),
            ("subtract", "value, None, [[0, 1], [2, 3], [4, 5]]", [[1, 1], [1, 1], [1, 1]]),
        ]
    ],
]

EXAMPLES = [*QUANTIZATION, *FAKE_QUANTIZATION, *IN_PLACE]
