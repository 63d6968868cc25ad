"""Cubic interpolation and filters, beside what TensorFlow 2.21 computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td


def row(*values: float, dtype: str = "f") -> np.ndarray:
    return np.array(values, dtype).reshape(1, 1, -1, 1)


CUBIC = row(1, 3.050628662109375, 3.935753583908081, 2.4245097637176514, 1.7840704917907715)
MOVED = [row(1, 4, 2), [1, 4], np.array([1, 1.5], "f"), np.array([0, 0.5], "f")]
HALVED = [row(1, 4, 2, 7), [1, 2], np.array([1, 0.5], "f"), np.zeros(2, "f")]
BACK = [row(1, 10), row(1, 4, 2, 7), *HALVED[2:]]
FILTERED = {
    "lanczos1": row(1, 1.1153844594955444, 3.884615182876587, 2.9999990463256836),
    "lanczos3": row(0.23369565606117249, 1.428239107131958, 3.7106056213378906, 3.249999523162842),
    "lanczos5": row(0.11366614699363708, 1.4483731985092163, 3.7051713466644287, 3.340402126312256),
    "gaussian": row(1, 1.6258255243301392, 3.302549123764038, 2.999999523162842),
    "box": row(1, 1, 4, 2),
    "triangle": row(1, 1.4999998807907104, 3.5, 2.999999523162842),
    "keyscubic": row(0.625, 1.3632380962371826, 3.723111867904663, 3.1176462173461914),
    "mitchellcubic": row(
        0.7916675209999084, 1.5146944522857666, 3.491192102432251, 3.0671138763427734
    ),
}
CASES = [
    Case("ResizeBicubic", [row(1, 4, 2), [1, 5]], expected=CUBIC, rtol=1e-6),
    Case("ResizeBicubic", [row(1, 4, 2, dtype="u1"), [1, 5]], expected=CUBIC, id="ints", rtol=1e-6),
    Case("ResizeBicubic", [row(1, 4, 2), [1, 5]], {"align_corners": True},
         row(1, 2.6875, 4, 3.28125, 2), id="corners"),
    Case("ResizeBicubic", [row(1, 4, 2), [1, 5]], {"half_pixel_centers": True},
         row(0.7734232544898987, 2.1432666778564453, 4, 2.8369033336639404, 1.8489487171173096),
         id="half", rtol=1e-6),
    Case("ResizeBicubic", [row(1, 4, 2), [1, 0]],
         expected=raises(r"size\[1\] = 0 is not at least 1", "run")),
    Case("ResizeBicubic", [row(1, 4, 2)[0], [1, 2]], expected=raises("images must have rank 4")),
    Case("ResizeBicubicGrad", [row(1, 2, 3, 4, 5), row(0, 0, 0)],
         expected=row(1.3925625085830688, 4.4597368240356445, 9.147700309753418), rtol=1e-6),
    Case("ResizeBicubicGrad", [row(1, 2, 3, 4, 5), row(0, 0, 0, dtype="d")],
         {"half_pixel_centers": True}, id="half", rtol=1e-6,
         expected=row(2.193786859512329, 4.923050403594971, 7.883162498474121, dtype="d")),
    Case("ResizeBicubicGrad", [np.zeros((0, 1, 2, 1), "f"), np.zeros((0, 2, 2, 1), "f")],
         expected=np.zeros((0, 2, 2, 1), "f"), id="empty"),
    Case("ResizeBicubicGrad", [row(1, 2)[0], row(0, 0)], expected=raises("grads must have rank 4")),
    *[Case("ScaleAndTranslate", MOVED, {"kernel_type": name}, result, name, 1e-5)
      for name, result in FILTERED.items()],
    Case("ScaleAndTranslate", HALVED, {"kernel_type": "triangle"},
         row(2.4285717010498047, 4.428571701049805), id="smaller", rtol=1e-6),
    Case("ScaleAndTranslate", HALVED, {"kernel_type": "triangle", "antialias": False},
         row(2.5, 4.5), id="aliased"),
    Case("ScaleAndTranslate", [*HALVED[:2], np.array([1, -1], "f"), HALVED[3]],
         expected=raises("scale must be positive", "run")),
    Case("ScaleAndTranslate", HALVED, {"kernel_type": "sinc"},
         raises("kernel_type must be one of", "run"), id="unknown"),
    Case("ScaleAndTranslateGrad", BACK, {"kernel_type": "triangle"}, rtol=1e-6,
         expected=row(0.4285714626312256, 1.8571429252624512, 4.428571701049805, 4.2857146)),
    Case("ScaleAndTranslateGrad", [row(1, 10)[0], *BACK[1:]],
         expected=raises("grads must have rank 4")),
]  # fmt: skip
test_filtered_resizing = check(CASES)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "resize",
    [
        lambda x: td.image.resize_bicubic(x, [4, 5]),
        lambda x: td.image.resize_bicubic(x, [4, 5], half_pixel_centers=True),
        lambda x: td.image.scale_and_translate(x, [4, 5], [1.5, 0.7], [0.3, 0.1]),
    ],
)
def test_resizing_is_linear(resize: Any, known: bool) -> None:
    """The gradient of the gradient is the resize of the image."""
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [1, 3, 6, 1] if known else None)
        image = np.sin(np.arange(18, dtype="f")).reshape(1, 3, 6, 1)
        y = resize(x)
        weights = np.cos(np.arange(20, dtype="f")).reshape(1, 4, 5, 1)
        start = td.constant(weights)
        back = td.gradients(y, x, start)[0]
        values, slopes, twice = session.run(
            [y, back, td.gradients(back, start, td.constant(image))[0]], {x: image}
        )
        np.testing.assert_allclose((values * weights).sum(), (slopes * image).sum(), 1e-4)
        np.testing.assert_allclose(twice, values, 1e-5, 1e-6)


def test_no_gradient_of_images_of_integers() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [1, 2, 2, 1])
        for resize in (td.image.resize_bicubic, td.image.resize_bilinear):
            assert td.gradients(resize(td.cast(x, td.int32), [3, 3]), x) == [None]
