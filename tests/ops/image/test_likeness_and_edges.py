"""Similarity, edges and hue gradients, against values recorded from TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

N = np.arange(16 * 15 * 2)
X = (np.sin(N * 0.7) * 0.5 + 0.5).astype("f").reshape(16, 15, 2)
Y = (np.sin(N * 0.7 + 0.3) * 0.5 + 0.5).astype("f").reshape(16, 15, 2)
RAMP = np.arange(1, 13, dtype="f").reshape(1, 3, 4, 1)


def run(*tensors: td.Tensor) -> Any:
    with td.Session(graph=tensors[0].graph) as session:
        found = session.run(list(tensors))
    return found[0] if len(found) == 1 else found


@pytest.mark.parametrize("shape", [[16, 15, 2], [None, None, 2], None])
def test_likeness(shape: list[int | None] | None) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x, y = td.placeholder(td.float32, shape), td.placeholder(td.float32, shape)
        numbers = [
            td.image.psnr(x, y, 1.0),
            td.image.ssim(x, y, 1.0),
            td.image.ssim_multiscale(x, y, 1.0, (0.3, 0.7), filter_size=5),
        ]
        found = session.run(numbers, {x: X, y: Y})
        np.testing.assert_allclose(found, [19.522865, 0.955497, 0.956325], 1e-5)
        if shape != [16, 15, 2]:
            with pytest.raises(td.errors.InvalidArgumentError, match="filter_size"):
                session.run(numbers[1], {x: X[:5], y: Y[:5]})


def test_likeness_of_batches_and_integers() -> None:
    with td.Graph().as_default():
        both = td.image.ssim(
            np.stack([X, Y]), np.stack([Y, Y]), 1.0, filter_size=5, filter_sigma=1.0
        )
        np.testing.assert_allclose(run(both), [0.955471, 1], 1e-5)
        x, y = (td.constant((image * 255).astype("u1")) for image in (X, Y))
        assert run(td.image.psnr(x, y, 255)) == pytest.approx(19.530767, rel=1e-5)
        assert np.isinf(run(td.image.psnr(x, x, 255)))
        with pytest.raises(ValueError, match="same size and channels"):
            td.image.ssim(x, y[:-1], 255)
        with pytest.raises(ValueError, match="rank 3 or more"):
            td.image.psnr([[1.0]], [[1.0]], 1)
        gradient = td.gradients(td.image.ssim(td.constant(X), Y, 1.0), [X])
        assert gradient == [None]


def test_edges() -> None:
    with td.Graph().as_default():
        squares = np.arange(12, dtype="f").reshape(1, 3, 4, 1) ** 2
        found = run(td.image.sobel_edges(squares))[0, :, :, 0]
        assert found[..., 0].tolist() == [[0] * 4, [288, 320, 384, 416], [0] * 4]
        across = [[0, 48, 64, 0], [0, 80, 96, 0], [0, 112, 128, 0]]
        assert found[..., 1].tolist() == across
        open_image = td.placeholder(td.float32, [None, 3, None, 5])
        assert td.image.sobel_edges(open_image).shape.as_list() == [None, 3, None, 5, 2]
        slopes = td.image.image_gradients(open_image)
        assert [x.shape.as_list() for x in slopes] == [[None, 3, None, 5]] * 2
        dy, dx = run(*td.image.image_gradients(RAMP))
        assert dy[0, :, :, 0].tolist() == [[4] * 4, [4] * 4, [0] * 4]
        assert dx[0, :, :, 0].tolist() == [[1, 1, 1, 0]] * 3
        with pytest.raises(ValueError, match="rank 4"):
            td.image.image_gradients(RAMP[0])


def test_total_variation() -> None:
    with td.Graph().as_default():
        assert run(td.image.total_variation(RAMP)).tolist() == [8 * 4 + 9]
        assert run(td.image.total_variation(RAMP[0])) == 8 * 4 + 9
        with pytest.raises(ValueError, match="rank 3 or 4"):
            td.image.total_variation([1.0])


def test_gradients_of_hues() -> None:
    """Each sample the greatest and the least once, ties, black and an image of one colour."""
    colours = [[0.2, 0.5, 0.8], [0.9, 0.1, 0.3], [0.4, 0.7, 0.7], [0.5, 0.5, 0.5], [0, 0.3, 0.2]]
    with td.Graph().as_default():
        pixels = td.constant(np.array(colours, "f"))
        given = np.array([[1, 2, 3]] * 5, "f")
        found = run(td.gradients(td.image.rgb_to_hsv(pixels), pixels, td.constant(given))[0])
    expected: list[list[float]] = [
        [-2.361111, -0.277778, 3.763889],
        [3.298997, -2.065972, -0.208333],
        [-2.857143, 4.077098, 0.555556],
        [7, 0, -4],
        [-0.185185, 2.62963, 0.555556],
    ]
    np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_images_are_resized_in_their_proportions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        tall = session.run(td.image.resize_image_with_pad(RAMP, 5, 4))
        np.testing.assert_array_equal(tall[:, 1:4], RAMP)
        assert not tall[:, [0, 4]].any()
        image, rows = td.placeholder(td.float32, [None, None, 1]), td.placeholder(td.int32, [])
        nearest = td.image.resize_image_with_pad(
            image, rows, 5, td.image.ResizeMethod.NEAREST_NEIGHBOR
        )
        wide = session.run(nearest, {image: RAMP[0], rows: 2})
        assert wide[..., 0].tolist() == [[0, 1, 3, 0, 0], [0, 5, 7, 0, 0]]
        with pytest.raises(ValueError, match="target_width must be > 0, got 0"):
            td.image.resize_image_with_pad(RAMP, 1, 0)
