"""Statistics of channels, over blocks of rows that do not divide evenly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.ops.nn.channel_sums import channel_sums, moments


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (20_011, 3), (700, 512), (40, 1500)])
def test_moments_are_those_of_float64(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).standard_normal(shape, np.float32) + np.float32(1000)
    mean, variance = moments(x)
    np.testing.assert_allclose(mean, x.mean(0, np.float64), 1e-13)
    np.testing.assert_allclose(variance, x.var(0, np.float64), 1e-9, 1e-20)


def test_each_channel_has_its_own_number() -> None:
    x = np.arange(12.0).reshape(4, 3)
    total = channel_sums(lambda x, y: x * y, [x], [np.array([1.0, 0, -1])])
    assert total.tolist() == [18, 0, -26]


@pytest.mark.parametrize("form", ["NHWC", "NCHW"])
def test_normalization_and_its_gradient_take_either_order_of_dimensions(form: str) -> None:
    rng = np.random.default_rng(1)
    x, slope = rng.standard_normal((2, 2, 5, 7, 3), np.float32)
    scale, offset = np.array([1, -2, 3], np.float32), np.array([0, 1, 2], np.float32)

    def turned(x: Any) -> Any:
        return x.transpose(0, 3, 1, 2) if form == "NCHW" else x

    with td.Graph().as_default(), td.Session() as session:
        image = td.constant(turned(x))
        y, mean, _ = td.nn.fused_batch_norm(image, scale, offset, data_format=form)
        (back,) = td.gradients(y, image, turned(slope))
        y, mean, back = session.run([y, mean, back])
    wide, towards = x.astype(np.float64), slope.astype(np.float64)
    centre, spread = wide.mean((0, 1, 2)), np.sqrt(wide.var((0, 1, 2)) + 0.001)
    normal = (wide - centre) / spread
    np.testing.assert_allclose(mean, centre, 1e-5)
    np.testing.assert_allclose(y, turned(normal * scale + offset), 1e-5, 1e-5)
    along = towards - towards.mean((0, 1, 2)) - normal * (towards * normal).mean((0, 1, 2))
    np.testing.assert_allclose(back, turned(along * scale / spread), 1e-4, 1e-5)


@pytest.mark.parametrize("depth", [1, 4, 64, 65])
@pytest.mark.parametrize("radius", [0, 2, 100])
@pytest.mark.parametrize("large", [1.0, np.inf, np.nan])
def test_responses_are_normalized_by_their_neighbours_alone(
    depth: int, radius: int, large: float
) -> None:
    x = np.random.default_rng(depth).standard_normal((2, 1, 3, depth)).astype(np.float32)
    x[0, 0, 0, 0] = large
    around = [
        (x[..., max(0, i - radius) : i + radius + 1] ** 2).sum(-1, np.float64) for i in range(depth)
    ]
    with np.errstate(invalid="ignore"):
        wanted = x / (1 + 0.5 * np.stack(around, -1)) ** 0.75
    with td.Graph().as_default(), td.Session() as session:
        found = session.run(td.nn.lrn(td.constant(x), radius, 1, 0.5, 0.75))
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-30)
