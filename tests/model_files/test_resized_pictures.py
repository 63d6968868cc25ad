"""A frozen classifier that resizes its pictures itself gives the scores of TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

# TensorFlow 2.21 computed them from the same graph.
SCORES = [0.2904626, 0.1616002, 0.0321947, 0.0876969, 0.3400131, 0.0880324]


def _weights(*shape: int) -> td.Tensor:
    products = int(np.prod(shape[:2] if shape[3] == 1 else shape[:3]))
    values = np.cos(np.arange(np.prod(shape)) * 1.7) * np.sqrt(2 / products)
    return td.constant(values.reshape(shape).astype(np.float32))


def _layer(x: td.Tensor, filters: int, stride: int, depthwise: bool = False) -> td.Tensor:
    channels, strides = int(x.shape[-1]), [1, stride, stride, 1]
    if depthwise:
        y = td.nn.depthwise_conv2d(x, _weights(3, 3, channels, 1), strides, "SAME")
    else:
        size = 3 if stride == 2 else 1
        y = td.nn.conv2d(x, _weights(size, size, channels, filters), strides, "SAME")
    scale = np.linspace(0.5, 1.5, filters, dtype=np.float32)
    return td.nn.relu6(y * td.constant(scale) + np.linspace(0.3, -0.1, filters, dtype=np.float32))


def _classifier() -> tuple[td.Tensor, td.Tensor]:
    """A small MobileNet of 2017, batch norms folded, on pictures of any size."""
    picture = td.placeholder(td.uint8, [None, None, None, 3], name="picture")
    x = td.image.resize_bilinear(picture, [33, 33]) * (1 / 127.5) - 1.0
    x = _layer(x, 8, 2)
    for filters, stride in ((16, 2), (16, 1), (24, 2)):
        x = _layer(_layer(x, int(x.shape[-1]), stride, depthwise=True), filters, 1)
    x = td.reduce_mean(x, [1, 2], keepdims=True)
    x = td.nn.conv2d(x, _weights(1, 1, 24, 6), [1, 1, 1, 1], "SAME")
    return picture, td.nn.softmax(td.squeeze(x, [1, 2]) * 25.0, name="scores")


@pytest.mark.parametrize("quantized", [False, True])
def test_scores_are_those_of_tensorflow(tmp_path: Path, quantized: bool) -> None:
    with td.Graph().as_default() as graph:
        picture, scores = _classifier()
        if quantized:  # as a range that clips nothing and is fine enough to change little
            scores = td.fake_quant_with_min_max_vars(scores, 0.0, 1.0, num_bits=16)
    td.save_graph(graph, tmp_path / "frozen.pb")
    loaded = td.load_graph(tmp_path / "frozen.pb")
    pixels: Any = (np.arange(48 * 64 * 3).reshape(1, 48, 64, 3) ** 2 // 7 % 256).astype(np.uint8)
    with td.Session(graph=loaded) as session:
        results = [session.run(scores.name, {picture.name: pixels}) for _ in range(4)]
    tolerance = 1 / 60000 if quantized else 1e-6
    np.testing.assert_allclose(results[-1], [SCORES], rtol=0, atol=tolerance)
