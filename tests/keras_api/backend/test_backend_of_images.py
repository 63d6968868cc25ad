"""Keras's backend for images and sequences: recorded from TensorFlow 2.21's legacy Keras."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

K = td.keras.backend
_RNG = np.random.default_rng(0)
_LOGITS = _RNG.normal(size=(3, 7, 5)).astype("f")
SHARES = np.exp(_LOGITS) / np.exp(_LOGITS).sum(-1, keepdims=True)
SEQUENCES = _RNG.normal(size=(2, 5, 3)).astype("f")
IMAGES = _RNG.normal(size=(2, 6, 6, 3)).astype("f")
KERNEL = _RNG.normal(size=(3, 3, 3, 4)).astype("f")
SMALL = _RNG.normal(size=(2, 3, 3, 4)).astype("f")
STEPS = _RNG.normal(size=(2, 9, 3)).astype("f")
NARROW = _RNG.normal(size=(3, 3, 4)).astype("f")
APART = _RNG.normal(size=(3, 3, 3, 2)).astype("f")
MASK = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], bool)


def _run(make: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(make())


def _step(x: Any, states: Any) -> Any:
    more = states[1] if len(states) > 1 else 0
    after = td.tanh(x + 0.5 * states[0] + more)
    return after * 2, [after]


@pytest.mark.parametrize(
    ("settings", "total", "state", "slope"),
    [
        ({}, -3.629, 2.7441, 51.1789),
        ({"go_backwards": True}, -0.274, -0.367, 51.529),
        ({"unroll": True}, -3.629, 2.7441, 51.1789),
        ({"mask": MASK}, -13.5087, 1.0242, 42.2771),
        ({"mask": MASK, "unroll": True}, -13.5087, 1.0242, 42.2771),
        ({"mask": MASK, "go_backwards": True}, -10.4287, -2.8797, 41.4166),
        ({"mask": MASK, "zero_output_for_mask": True}, -11.9639, 1.0242, 32.3033),
        ({"constants": [[[0.1, 0.2, 0.3]]]}, 7.4783, 3.7596, 49.4563),
    ],
)
def test_a_step_is_taken_along_time(
    settings: Any, total: float, state: float, slope: float
) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant(SEQUENCES)
        last, outputs, states = K.rnn(_step, x, [td.zeros([2, 3])], **settings)
        assert outputs.shape.as_list() == [2, 5, 3]
        assert last.shape.as_list() == [2, 3]
        found = session.run([last, outputs, states[0], td.gradients(outputs, x)[0]])
    np.testing.assert_array_equal(found[0], found[1][:, -1])
    sums = [array.sum() for array in found[1:]]
    assert sums == pytest.approx([total, state, slope], abs=1e-3)


def test_steps_may_come_first_and_be_of_any_number() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [None, None, 3])
        start = [td.zeros([td.shape(x)[1], 3])]
        _, outputs, _ = K.rnn(_step, x, start, time_major=True)
        turned = session.run(outputs, {x: SEQUENCES.transpose(1, 0, 2)})
    expected = _run(lambda: K.rnn(_step, SEQUENCES, [td.zeros([2, 3])])[1])
    np.testing.assert_allclose(turned.transpose(1, 0, 2), expected, atol=1e-6)
    with td.Graph().as_default():
        with pytest.raises(ValueError, match="there must be states"):
            K.rnn(_step, td.zeros([1, 2, 3]), [], mask=[[True, True]])
        with pytest.raises(ValueError, match="known number of steps"):
            K.rnn(_step, td.placeholder(td.float32, [1, None, 3]), [td.zeros([1, 3])], unroll=True)


def test_labels_are_found_and_judged() -> None:
    labels, lengths = [[0, 1, 2], [3, 3, 0], [1, 0, 0]], [[7], [6], [5]]
    loss = _run(lambda: K.ctc_batch_cost(labels, SHARES, lengths, [[3], [2], [1]]))
    assert loss.shape == (3, 1)
    np.testing.assert_allclose(loss[:, 0], [6.0652, 7.49663, 3.86928], atol=1e-4)
    with td.Graph().as_default(), td.Session() as session:
        (greedy,), _ = K.ctc_decode(SHARES, [7, 6, 5])
        (first, second), likely = K.ctc_decode(SHARES, [7, 6, 5], False, 8, 2)
        found = session.run([greedy, first, second, likely])
    assert [array.tolist() for array in found[:3]] == [
        [[2, 1, 1, 3], [1, 2, 3, 2], [0, 1, -1, -1]],
        [[2, 1, 3], [2, 3, 2], [2, 1, -1]],
        [[2, 1, 3, 1], [1, 3, 2, -1], [2, 0, 1, -1]],
    ]
    assert found[3].shape == (3, 2)


@pytest.mark.parametrize(
    ("name", "args", "shape", "first", "total"),
    [
        (
            "conv2d",
            (IMAGES, KERNEL),
            (2, 4, 4, 4),
            [-3.60138, -3.9699, 11.44918, 7.01421],
            -132.984,
        ),
        (
            "conv2d",
            (IMAGES, KERNEL, (2, 2), "same"),
            (2, 3, 3, 4),
            [-3.60138, -3.9699, 11.44918, 7.01421],
            20.5235,
        ),
        (
            "conv2d",
            (IMAGES, KERNEL, (1, 1), "valid", None, (2, 2)),
            (2, 2, 2, 4),
            [0.21559, 0.34319, 2.06538, 5.77158],
            -11.7774,
        ),
        (
            "conv2d_transpose",
            (SMALL, KERNEL, (2, 6, 6, 3), (2, 2), "same"),
            (2, 6, 6, 3),
            [2.26475, -0.87291, -2.3009, 2.51236],
            -21.1938,
        ),
        (
            "conv1d",
            (STEPS, NARROW, 2, "causal"),
            (2, 5, 4),
            [-2.1053, 1.0449, 3.07427, 4.02087],
            -5.8847,
        ),
        (
            "conv1d",
            (STEPS, NARROW, 1, "causal", None, 2),
            (2, 9, 4),
            [-2.1053, 1.0449, 3.07427, 4.02087],
            -31.975,
        ),
        (
            "conv1d",
            (STEPS, NARROW, 1, "same"),
            (2, 9, 4),
            [2.94491, -0.60119, -1.62789, -5.47906],
            -33.324,
        ),
        (
            "depthwise_conv2d",
            (IMAGES, APART, (1, 1), "same"),
            (2, 6, 6, 6),
            [-0.14883, -2.77732, -1.1288, 1.01597],
            -41.3881,
        ),
        (
            "pool2d",
            (IMAGES, (2, 2), (2, 2)),
            (2, 3, 3, 3),
            [1.04184, 1.40226, 1.15017, 0.42377],
            55.8625,
        ),
        (
            "pool2d",
            (IMAGES, (3, 3), (1, 1), "same", None, "avg"),
            (2, 6, 6, 3),
            [-0.38335, 0.62834, -0.29533, -0.58464],
            -26.3709,
        ),
        (
            "repeat_elements",
            (IMAGES, 2, 1),
            (2, 12, 6, 3),
            [1.04184, 1.40226, 1.15017, -2.3653],
            -45.4809,
        ),
        (
            "resize_images",
            (IMAGES, 2, 3),
            (2, 12, 18, 3),
            [1.04184, 1.40226, 1.15017, 1.04184],
            -136.4427,
        ),
        (
            "resize_images",
            (IMAGES, 2, 3, None, "bilinear"),
            (2, 12, 18, 3),
            [1.04184, 1.40226, 1.15017, 1.04184],
            -136.4426,
        ),
        (
            "resize_images",
            (IMAGES, 2, 1, "channels_first"),
            (2, 6, 12, 3),
            [1.04184, 1.40226, 1.15017, 1.04184],
            -45.4809,
        ),
        (
            "spatial_2d_padding",
            (IMAGES, ((1, 2), (0, 1))),
            (2, 9, 7, 3),
            [0.0, 0.0, 0.0, 0.0],
            -22.7404,
        ),
        (
            "spatial_2d_padding",
            (IMAGES, ((1, 2), (0, 1)), "channels_first"),
            (2, 6, 9, 4),
            [0.0, 0.0, 0.0, 0.0],
            -22.7404,
        ),
        (
            "bias_add",
            (IMAGES, [1.0, 2.0, 3.0]),
            (2, 6, 6, 3),
            [2.04184, 3.40226, 4.15017, -1.3653],
            409.2596,
        ),
    ],
)
def test_images(name: str, args: Any, shape: Any, first: Any, total: Any) -> None:
    found = _run(lambda: getattr(K, name)(*args))
    assert found.shape == shape
    np.testing.assert_allclose(found.ravel()[: len(first)], first, atol=1e-4)
    assert found.sum() == pytest.approx(total, abs=2e-3)
