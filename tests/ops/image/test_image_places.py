"""Images cut, padded, flipped, turned and resized."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

IMAGE = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
BATCH = np.stack([IMAGE, IMAGE + 100])


def run(tensor: td.Tensor, feeds: dict[Any, Any] | None = None) -> np.ndarray:
    with td.Session(graph=tensor.graph) as session:
        return np.asarray(session.run(tensor, feeds))


FUNCTIONS: dict[str, tuple[Any, Any]] = {
    "flip_left_right": (td.image.flip_left_right, lambda x: x[:, ::-1]),
    "flip_up_down": (td.image.flip_up_down, lambda x: x[::-1]),
    "transpose": (td.image.transpose_image, lambda x: x.swapaxes(0, 1)),
    "rot90": (td.image.rot90, np.rot90),
    "rot270": (lambda x: td.image.rot90(x, 3), lambda x: np.rot90(x, 3)),
    "rot-90": (lambda x: td.image.rot90(x, -1), lambda x: np.rot90(x, -1)),
    "crop": (lambda x: td.image.crop_to_bounding_box(x, 1, 1, 1, 2), lambda x: x[1:, 1:3]),
    "pad": (
        lambda x: td.image.pad_to_bounding_box(x, 1, 2, 4, 7),
        lambda x: np.pad(x, [(1, 1), (2, 1), (0, 0)]),
    ),
    "crop_or_pad": (
        lambda x: td.image.resize_image_with_crop_or_pad(x, 5, 1),
        lambda x: np.pad(x[:, 1:2], [(1, 2), (0, 0), (0, 0)]),
    ),
    "central_crop": (lambda x: td.image.central_crop(x, 0.5), lambda x: x[:, 1:3]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("known", [True, False])
def test_pixels_go_where_numpy_puts_them(name: str, known: bool) -> None:
    function, expected = FUNCTIONS[name]
    for image in (IMAGE, BATCH):
        with td.Graph().as_default():
            shape = image.shape if known else [None] * image.ndim
            x = td.placeholder(td.uint8, shape)
            result = function(x)
            right = expected(image) if image.ndim == 3 else np.stack([*map(expected, image)])
            np.testing.assert_array_equal(run(result, {x: image}), right)
            assert result.shape.is_compatible_with(right.shape)
            if known:
                assert result.shape.as_list() == list(right.shape)


@pytest.mark.parametrize("turns", range(-1, 5))
def test_how_often_an_image_is_turned_may_be_fed(turns: int) -> None:
    with td.Graph().as_default():
        k = td.placeholder(td.int32, [])
        result = td.image.rot90(IMAGE, k)
        np.testing.assert_array_equal(run(result, {k: turns}), np.rot90(IMAGE, turns))


def test_frames_that_do_not_fit_are_refused() -> None:
    with td.Graph().as_default():
        with pytest.raises(ValueError, match="offset_height must be >= 0, got -1"):
            td.image.crop_to_bounding_box(IMAGE, -1, 0, 1, 1)
        with pytest.raises(ValueError, match="width - offset_width - target_width must be >= 0"):
            td.image.crop_to_bounding_box(IMAGE, 0, 2, 1, 3)
        with pytest.raises(ValueError, match="must be >= 0, got -1"):
            td.image.pad_to_bounding_box(IMAGE, 0, 0, 1, 4)
        with pytest.raises(ValueError, match="target_width must be > 0, got 0"):
            td.image.resize_image_with_crop_or_pad(IMAGE, 1, 0)
        with pytest.raises(ValueError, match=r"central_fraction = 2 is not in \(0, 1\]"):
            td.image.central_crop(IMAGE, 2)
        with pytest.raises(ValueError, match="image must have shape"):
            td.image.flip_left_right([1, 2])
        x = td.placeholder(td.uint8, [None, None, 3])
        cut = td.image.crop_to_bounding_box(x, 0, 2, 1, 3)
        with pytest.raises(td.errors.InvalidArgumentError):
            run(cut, {x: IMAGE})


def test_random_flips_are_those_of_tensorflow() -> None:
    with td.Graph().as_default():
        flips = td.image.random_flip_left_right(BATCH, seed=5)
        with td.Session() as session:
            for value in session.run([flips] * 3):
                for image, plain in zip(value, BATCH, strict=True):
                    assert image.tolist() in (plain.tolist(), plain[:, ::-1].tolist())


@pytest.mark.parametrize("method", [*range(4), "bilinear", "nearest", "bicubic", "area"])
def test_every_method_resizes(method: Any) -> None:
    with td.Graph().as_default():
        small = td.image.resize_images(BATCH, [1, 2], method)
        assert small.shape.as_list() == [2, 1, 2, 3]
        assert small.dtype == (td.uint8 if method in (1, "nearest") else td.float32)
        one = td.image.resize_images(IMAGE, [1, 2], method)
        np.testing.assert_array_equal(run(one), run(small)[0])


def test_images_of_the_size_stay_as_they_are() -> None:
    with td.Graph().as_default():
        image = td.constant(IMAGE)
        assert td.image.resize_images(image, [2, 4]) is image
        kept = td.image.resize_images(image, [8, 8], preserve_aspect_ratio=True)
        assert run(kept).shape == (4, 8, 3)


def test_wrong_calls_of_resize_images_are_refused() -> None:
    with td.Graph().as_default():
        with pytest.raises(ValueError, match="either 3 or 4 dimensions"):
            td.image.resize_images([1.0], [1, 1])
        with pytest.raises(ValueError, match="size must have 2 elements"):
            td.image.resize_images(IMAGE, [1])
        with pytest.raises(ValueError, match="method must be one of"):
            td.image.resize_images(IMAGE, [1, 1], 9)
        with pytest.raises(ValueError, match="known rank"):
            td.image.resize_images(td.placeholder(td.uint8), [1, 1])
