"""Sampled losses, beside the numbers that TensorFlow 2.21 gave for the same seeds."""

from __future__ import annotations

import numpy as np
import pytest

import tensordraft as td

RANDOM = np.random.RandomState(0)
WEIGHTS = RANDOM.randn(20, 4).astype("f")
BIASES, INPUTS = RANDOM.randn(20).astype("f"), RANDOM.randn(5, 4).astype("f")
LABELS = RANDOM.randint(0, 20, (5, 2))

# The loss, whether accidental hits are removed, how many true classes there are; the losses, and
# the sums of the sizes of what the gradients of inputs and weights hold.
RECORDED: list[tuple[str, bool, int, list[float], list[float]]] = [
    ("nce_loss", False, 1, [20.27531, 15.22419, 27.1814, 14.97011, 17.71854], [46.29675, 68.32743]),
    (
        "nce_loss",
        False,
        2,
        [23.79154, 14.75893, 27.48723, 16.91048, 19.60726],
        [47.03698, 72.65019],
    ),
    ("nce_loss", True, 1, [17.62063, 15.22419, 26.81428, 14.97011, 15.54243], [41.51137, 66.31166]),
    ("nce_loss", True, 2, [16.69804, 14.75893, 26.60411, 16.91048, 17.43115], [43.50837, 68.0591]),
    (
        "sampled_softmax_loss",
        False,
        1,
        [3.106203, 9.932876, 8.215952, 4.57301, 2.591484],
        [24.77105, 33.75647],
    ),
    (
        "sampled_softmax_loss",
        False,
        2,
        [2.433096, 9.271307, 8.006195, 6.458451, 3.054848],
        [22.10207, 29.38906],
    ),
    (
        "sampled_softmax_loss",
        True,
        1,
        [3.060399, 9.932876, 8.215681, 4.57301, 2.513621],
        [25.24203, 34.35188],
    ),
    (
        "sampled_softmax_loss",
        True,
        2,
        [2.137806, 9.271307, 8.005513, 6.458451, 2.979459],
        [23.18368, 30.53428],
    ),
]


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize(("name", "hits", "num_true", "losses", "sizes"), RECORDED)
def test_losses_and_gradients_are_tensorflows(
    name: str, hits: bool, num_true: int, losses: list[float], sizes: list[float], parts: int
) -> None:
    true = LABELS[:, :num_true]
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(3)
        weights = [td.constant(WEIGHTS[i::parts]) for i in range(parts)]
        biases, inputs = [td.constant(BIASES[i::parts]) for i in range(parts)], td.constant(INPUTS)
        drawn = td.nn.log_uniform_candidate_sampler(true, num_true, 8, True, 20, seed=7)
        loss = getattr(td.nn, name)(weights, biases, true, inputs, 8, 20, num_true, drawn, hits)
        slopes = [td.convert_to_tensor(g) for g in td.gradients(loss, [inputs, *weights])]
        found, (of_inputs, *of_weights) = session.run([loss, slopes])
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    totals = [np.abs(of_inputs).sum(), sum(np.abs(part).sum() for part in of_weights)]
    np.testing.assert_allclose(totals, sizes, rtol=1e-5)


@pytest.mark.parametrize("name", ["nce_loss", "sampled_softmax_loss"])
def test_the_gradient_of_a_table_has_the_rows_that_were_looked_up(name: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        weights, biases = td.Variable(WEIGHTS), td.Variable(BIASES)
        loss = getattr(td.nn, name)(weights, biases, LABELS[:, :1], INPUTS, 8, 20)
        slopes = td.gradients(loss, [weights, biases])
        assert [type(slope) for slope in slopes] == [td.IndexedSlices] * 2
        session.run(td.global_variables_initializer())
        assert session.run(slopes[0]).indices.shape == (5 + 8,)


@pytest.mark.parametrize("name", ["nce_loss", "sampled_softmax_loss"])
def test_the_order_of_arguments_before_1_0(name: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        function = getattr(td.nn, name)
        true, inputs = td.constant(LABELS[:, :1]), td.constant(INPUTS)
        drawn = ([3, 4], [[0.5]] * 5, [0.25, 0.75])
        present = function(WEIGHTS, BIASES, true, inputs, 2, 20, sampled_values=drawn)
        older = function(WEIGHTS, BIASES, inputs, true, 2, 20, sampled_values=drawn)
        np.testing.assert_array_equal(*session.run([present, older]))
