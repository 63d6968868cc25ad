"""Quantized images in another size: integers recorded from TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check

BYTES = np.array([0, 255, 128, 7, 99, 200], "u1").reshape(1, 2, 3, 1)
WORDS = np.array([0, 2**31 - 1, -(2**31), 1000000007, 12345, -99], "i4").reshape(1, 2, 3, 1)
FLOATS = np.arange(1, 13, dtype="f").reshape(1, 3, 4, 1)
ENDS = [np.float32(-1), np.float32(2)]
OP = "QuantizedResizeBilinear"


def resized(
    images: np.ndarray, dtype: str, size: list[int], expected: list[int], **attrs: bool
) -> Case:
    pixels = np.array(expected, images.dtype).reshape(1, *size, 1)
    results = ((pixels, dtype), *ENDS)
    return Case(
        OP,
        [(images, dtype), size, *ENDS],
        attrs,
        results,
        id=f"{dtype}-{len(attrs)}-{''.join(attrs)}",
    )


CASES = [
    resized(BYTES, "quint8", [3, 4], [0, 191, 192, 128, 5, 115, 164, 176, 7, 76, 150, 200]),
    resized(BYTES, "quint8", [3, 4], [0, 169, 213, 128, 4, 119, 173, 164, 7, 68, 132, 200],
            align_corners=True),
    resized(BYTES, "quint8", [3, 4], [0, 159, 207, 128, 4, 112, 172, 164, 7, 65, 137, 200],
            half_pixel_centers=True),
    resized(WORDS, "qint32", [3, 5], [
        0, 1288490240, 1288489984, -1288490495, -2147483647, 666666687, 696168318, 429503207,
        -429495213, -715827905, 1000000000, 400007383, 9856, 2390, -98]),
    Case(OP, [FLOATS, [2, 3], *ENDS], {},
         (np.array([1, 7 / 3, 11 / 3, 7, 25 / 3, 29 / 3], "f").reshape(1, 2, 3, 1), *ENDS),
         rtol=1e-6, id="float"),
    Case(OP, [FLOATS, [0, 3], *ENDS], {}, raises("size", "run"), id="none"),
]  # fmt: skip
test_quantized_resizing = check(CASES)
