"""Gradients of resized and cropped images: what each pixel contributed, turned around."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td


def row(*values: float) -> np.ndarray:
    return np.array(values, "f").reshape(1, 1, -1, 1)


WHOLE, FIRST = np.array([[0, 0, 0, 1]], "f"), np.array([0], "i4")
CASES = [
    Case("ResizeBilinearGrad", [row(1, 2, 3, 4), row(0, 0)], expected=row(1 + 1, 1 + 3 + 4)),
    Case("ResizeBilinearGrad", [row(1, 2, 3), row(0, 0)], {"align_corners": True}, row(2, 4),
         id="corners"),
    Case("ResizeBilinearGrad", [row(1, 2, 3, 4), row(0, 0).astype("d")],
         {"half_pixel_centers": True},
         np.array([1 + 1.5 + 0.75, 0.5 + 2.25 + 4]).reshape(1, 1, 2, 1), id="float64"),
    Case("ResizeBilinearGrad", [np.zeros((0, 2, 2, 1), "f"), np.zeros((0, 1, 1, 1), "f")],
         expected=np.zeros((0, 1, 1, 1), "f"), id="empty"),
    Case("ResizeBilinearGrad", [row(1, 2)[0], row(0, 0)],
         expected=raises("grads must have rank 4")),
    Case("ResizeNearestNeighborGrad", [row(1, 2, 3, 4), [1, 2]], expected=row(3, 7)),
    Case("ResizeNearestNeighborGrad", [row(1, 2, 3, 4).astype("i4"), [1, 1]],
         expected=row(10).astype("i4"), id="int"),
    Case("ResizeNearestNeighborGrad", [row(1, 2), [0, 2]],
         expected=raises("size must be at least 1", "run")),
    Case("CropAndResizeGradImage", [row(1, 2, 4), WHOLE, FIRST, [1, 1, 2, 1]], {"T": td.float32},
         row(2, 5)),
    Case("CropAndResizeGradImage", [row(1, 2, 4), WHOLE, FIRST, [1, 1, 2, 1]],
         {"T": td.float64, "method": "nearest"}, row(1, 6).astype("d"), id="nearest"),
    Case("CropAndResizeGradImage", [row(1, 2, 4), WHOLE, FIRST + 1, [1, 1, 2, 1]],
         {"T": td.float32}, raises(r"box_ind\[0\] = 1 is not in \[0, 1\)", "run",
                                   td.errors.OutOfRangeError), id="outside"),
    Case("CropAndResizeGradBoxes", [row(1, 2, 4), row(0, 8), WHOLE, FIRST],
         expected=np.array([[0, 8, 0, 8]], "f")),
]  # fmt: skip
test_image_gradients = check(CASES)


@pytest.mark.parametrize("resize", [td.image.resize_bilinear, td.image.resize_nearest_neighbor])
@pytest.mark.parametrize("known", [True, False])
def test_resizing_is_linear(resize: Any, known: bool) -> None:
    """The gradient of the gradient is the resize of the image."""
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [1, 3, 2, 1] if known else None)
        image = np.arange(6, dtype="f").reshape(1, 3, 2, 1)
        y = resize(x, [4, 5])
        weights = np.cos(np.arange(20, dtype="f")).reshape(1, 4, 5, 1)
        back = td.gradients(y, x, td.constant(weights))[0]
        again = td.gradients(td.reduce_sum(back * image), x)
        values, slopes = session.run([y, back], {x: image})
        np.testing.assert_allclose((values * weights).sum(), (slopes * image).sum(), 1e-5)
        assert again == [None]


def test_crops() -> None:
    """Differences of float32 are coarse, but nothing here is far from a plane."""
    image = np.arange(12, dtype="f").reshape(1, 4, 3, 1)
    boxes = np.array([[0.1, 0.2, 0.8, 0.7]], "f")
    with td.Graph().as_default(), td.Session() as session:
        x, b = td.constant(image), td.placeholder(td.float32, [1, 4])
        total = td.reduce_sum(td.image.crop_and_resize(x, b, [0], [2, 3]))
        slopes = session.run(td.gradients(total, [x, b]), {b: boxes})
        assert slopes[0].sum() == pytest.approx(6)
        for corner in range(4):
            ends = []
            for step in (0.05, -0.05):
                moved = boxes.copy()
                moved[0, corner] += step
                ends.append(session.run(total, {b: moved}))
            assert slopes[1][0, corner] == pytest.approx((ends[0] - ends[1]) / 0.1, rel=1e-3)
