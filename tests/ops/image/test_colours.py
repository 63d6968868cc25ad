"""Colours of images. The numbers are those that TensorFlow 2.21 prints."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td

PIXELS = np.array(
    [
        [[0, 0, 0], [0.5, 0.5, 0.5], [1, 0, 0], [0, 0, 1]],
        [[0.25, 0.75, 0.5], [0.5, 0.25, 0.75], [0.75, 0.5, 0.25], [0.125, 0.5, 0.25]],
    ],
    "f",
)
HSV = np.array(
    [
        [[0, 0, 0], [0, 0, 0.5], [0, 1, 1], [2 / 3, 1, 1]],
        [
            [5 / 12, 2 / 3, 0.75],
            [0.75, 2 / 3, 0.75],
            [1 / 12, 2 / 3, 0.75],
            [7 / 18, 0.75, 0.5],
        ],
    ],
    "f",
)
SWAPPED = PIXELS[..., [2, 0, 1]]  # a third of the circle further
GREYS = np.repeat(PIXELS.max(-1, keepdims=True), 3, -1)

CASES = [
    Case("RGBToHSV", [PIXELS], {}, HSV, id="float32", rtol=2e-6, atol=2e-7),
    Case("RGBToHSV", [(PIXELS, "float64")], {}, (HSV, "float64"), id="wide", rtol=1e-6, atol=1e-6),
    Case("RGBToHSV", [PIXELS[:0]], {}, HSV[:0], id="empty"),
    Case("RGBToHSV", [PIXELS[..., :2]], {}, raises("channels"), id="channels"),
    Case("RGBToHSV", [np.float32(1)], {}, raises("rank"), id="scalar"),
    Case("HSVToRGB", [HSV], {}, PIXELS, id="float32", rtol=2e-6, atol=2e-7),
    Case("HSVToRGB", [HSV[..., :2]], {}, raises("channels"), id="channels"),
    Case("AdjustHue", [PIXELS, np.float32(0)], {}, PIXELS, id="nothing", rtol=2e-6, atol=2e-7),
    Case("AdjustHue", [PIXELS, np.float32(1 / 3)], {}, SWAPPED, id="third", rtol=1e-6, atol=1e-6),
    Case("AdjustHue", [PIXELS, np.float32(-2 / 3)], {}, SWAPPED, id="back", rtol=1e-6, atol=1e-6),
    Case("AdjustHue", [PIXELS[0], np.float32(0)], {}, raises("rank"), id="rank"),
    Case("AdjustHue", [PIXELS, np.zeros(2, "f")], {}, raises("delta"), id="vector"),
    Case(
        "AdjustSaturation", [PIXELS, np.float32(1)], {}, PIXELS, id="nothing", rtol=2e-6, atol=2e-7
    ),
    Case("AdjustSaturation", [PIXELS, np.float32(0)], {}, GREYS, id="grey", rtol=2e-6, atol=2e-7),
    Case("AdjustSaturation", [PIXELS[..., :2], np.float32(0)], {}, raises("channels"), id="two"),
    Case(
        "AdjustContrastv2",
        [np.array([[[1, 2], [3, 2]]], "f"), np.float32(2)],
        {},
        np.array([[[0, 2], [4, 2]]], "f"),
        id="two-channels",
    ),
    Case("AdjustContrastv2", [PIXELS[:0], np.float32(2)], {}, PIXELS[:0], id="empty"),
    Case("AdjustContrastv2", [PIXELS[0], np.float32(2)], {}, raises("rank"), id="rank"),
    Case(
        "ResizeArea",
        [np.arange(12, dtype="f").reshape(1, 3, 4, 1), [2, 3]],
        {},
        np.array([19 / 12, 17 / 6, 49 / 12, 83 / 12, 49 / 6, 113 / 12], "f").reshape(1, 2, 3, 1),
        id="smaller",
        rtol=1e-5,
    ),
    Case(
        "ResizeArea",
        [np.array([0, 4, 8], "u1").reshape(1, 1, 3, 1), [1, 6]],
        {},
        np.array([0, 0, 4, 4, 8, 8], "f").reshape(1, 1, 6, 1),
        id="larger",
    ),
    Case(
        "ResizeArea",
        [np.zeros((1, 1, 3, 1), "f"), [0, 1]],
        {},
        raises(r"size\[0\] = 0 is not at least 1", "run"),
        id="none",
    ),
]
test_colours = check(CASES)


def run(tensor: td.Tensor) -> np.ndarray:
    with td.Session(graph=tensor.graph) as session:
        return np.asarray(session.run(tensor))


@pytest.mark.parametrize(
    ("source", "target", "values", "expected"),
    [
        ("uint8", "uint16", [0, 255], [0, 65280]),
        ("uint16", "uint8", [0, 65535, 256], [0, 255, 1]),
        ("float32", "uint8", [0.5, 1, 2], [127, 255, 255]),
        ("uint8", "float16", [0, 255], [0, 1]),
        ("float64", "float32", [0.5], [0.5]),
    ],
)
def test_samples_are_converted(
    source: str, target: str, values: list[float], expected: list[float]
) -> None:
    with td.Graph().as_default():
        result = td.image.convert_image_dtype(td.constant(values, source), target, saturate=True)
        assert result.dtype == target
        assert run(result).tolist() == expected


def test_adjusted_integers_stay_within_their_limits() -> None:
    with td.Graph().as_default():
        image = td.constant([[[10, 100, 250]]], td.uint8)
        assert run(td.image.adjust_brightness(image, -0.1)).ravel().tolist() == [0, 74, 224]
        assert run(td.image.adjust_contrast(image, 3.0)).ravel().tolist() == [10, 100, 250]


def test_colours_come_back_from_other_spaces() -> None:
    with td.Graph().as_default():
        for there, back in (("rgb_to_yiq", "yiq_to_rgb"), ("rgb_to_yuv", "yuv_to_rgb")):
            image = getattr(td.image, back)(getattr(td.image, there)(PIXELS))
            np.testing.assert_allclose(run(image), PIXELS, atol=1e-4)


def test_random_steps_have_limits() -> None:
    with td.Graph().as_default():
        with pytest.raises(ValueError, match=r"max_delta = 0.6 is not in \[0, 0.5\]"):
            td.image.random_hue(PIXELS, 0.6)
        with pytest.raises(ValueError, match="max_delta = -1"):
            td.image.random_brightness(PIXELS, -1)
        with pytest.raises(ValueError, match="upper must be greater than lower"):
            td.image.random_contrast(PIXELS, 1, 1)
        with pytest.raises(ValueError, match="gamma must be at least 0"):
            td.image.adjust_gamma(PIXELS, -1)
