"""Images changed at random: TensorFlow's draws for the same seeds, run after run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

IMAGE = (np.arange(24) * 37 % 24 / 24).astype("f").reshape(2, 4, 3)
LIMITS: dict[str, tuple[Any, ...]] = {
    "random_brightness": (0.3,),
    "random_contrast": (0.3, 1.5),
    "random_hue": (0.3,),
    "random_saturation": (0.3, 1.7),
    "random_flip_left_right": (),
    "random_flip_up_down": (),
    "random_crop": ([1, 2, 3],),
}
# The sum of the first pixel in each of four runs, recorded from TensorFlow 2.21.
RECORDED = {
    "random_brightness": [0.446958, 0.996151, 0.341753, 0.752339],
    "random_contrast": [0.802689, 0.50521, 0.859676, 0.637275],
    "random_hue": [0.651212, 1.02708, 0.765185, 0.76295],
    "random_saturation": [0.763477, 0.625, 0.845304, 0.625],
    "random_flip_left_right": [2.25, 0.625, 2.25, 0.625],
    "random_flip_up_down": [1.125, 0.625, 1.125, 0.625],
    "random_crop": [0.625, 0.625, 1.5, 1.875],
}


@pytest.mark.parametrize("name", RECORDED)
def test_draws_are_those_of_tensorflow(name: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(7)
        image = getattr(td.image, name)(td.constant(IMAGE), *LIMITS[name], seed=3)
        found = [session.run(image)[0, 0].sum() for _ in range(4)]
    np.testing.assert_allclose(found, RECORDED[name], 1e-5)
