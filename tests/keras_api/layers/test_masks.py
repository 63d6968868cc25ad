"""Masks of layers of Keras: who passes them on, and what they change, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
L: Any = td.keras.layers
ROWS = np.array([[[1.0], [2.0], [0.0]], [[0.0], [4.0], [8.0]]], np.float32)
COUNTS = [[True, True, False], [False, True, True]]


def masked(rows: Any = ROWS) -> Any:
    return L.Masking()(td.constant(rows))


def run(tensor: Any) -> Any:
    session = td.keras.backend.get_session()
    session.run(td.global_variables_initializer())
    return session.run(tensor)


def mask_after(*layers: Any, inputs: Any = None) -> Any:
    """The mask of what layers make of masked steps, as attention to them sees it."""
    tensor = masked() if inputs is None else inputs
    for layer in layers:
        tensor = layer(tensor)
    shown = L.Lambda(lambda x, mask=None: td.zeros([]) if mask is None else td.identity(mask))
    return run(shown(tensor)).tolist() or None


@pytest.mark.parametrize(
    "layer",
    [
        lambda: L.Activation("tanh"),
        lambda: L.ActivityRegularization(0.1),
        L.BatchNormalization,
        lambda: L.Dense(2),
        lambda: L.Dropout(0.1),
        L.ELU,
        lambda: L.GaussianDropout(0.1),
        lambda: L.GaussianNoise(0.1),
        L.LayerNormalization,
        L.LeakyReLU,
        L.PReLU,
        L.ReLU,
        L.Softmax,
        lambda: L.SpatialDropout1D(0.1),
        L.ThresholdedReLU,
        lambda: L.TimeDistributed(L.Dense(2)),
        lambda: L.GRU(2, return_sequences=True),
        lambda: L.Bidirectional(L.GRU(2, return_sequences=True)),
        lambda: L.Lambda(lambda x: x, mask=lambda _, mask: mask),
        lambda: td.keras.Sequential([L.Dense(2), L.ReLU()]),
        lambda: td.keras.Sequential([L.Dense(2, input_shape=[3, 1])]),
    ],
)
def test_layers_that_keep_the_steps_keep_the_mask(layer: Callable[[], Any]) -> None:
    assert mask_after(layer()) == COUNTS


@pytest.mark.parametrize(
    "layer",
    [
        lambda: L.Conv1D(2, 2),
        L.Flatten,
        L.GlobalAveragePooling1D,
        L.GlobalMaxPooling1D,
        lambda: L.GRU(2),
        lambda: L.Lambda(lambda x: x * 1),
        lambda: L.MaxPooling1D(2),
        lambda: L.Permute([2, 1]),
        lambda: L.Reshape([3, 1]),
        lambda: L.UpSampling1D(2),
        lambda: L.ZeroPadding1D(1),
    ],
)
def test_others_do_not(layer: Callable[[], Any]) -> None:
    assert not mask_after(layer())


def test_means_over_the_steps_that_count() -> None:
    pool = L.GlobalAveragePooling1D()
    assert run(pool(masked())).tolist() == [[1.5], [6.0]]
    assert run(pool(td.constant(ROWS))).tolist() == [[1.0], [4.0]]
    assert run(pool(td.constant(ROWS), mask=td.constant(COUNTS))).tolist() == [[1.5], [6.0]]
    first = L.GlobalAveragePooling1D("channels_first")
    turned = td.constant(ROWS.transpose(0, 2, 1))
    assert run(first(turned, mask=td.constant(COUNTS))).tolist() == [[1.5], [6.0]]


@pytest.mark.parametrize("name", ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"])
def test_steps_of_merged_inputs_count_in_all(name: str) -> None:
    other = L.Masking(2.0)(td.constant(ROWS))
    both = [[True, False, False], [False, True, True]]
    assert mask_after(getattr(L, name)(), inputs=[masked(), other]) == both
    assert mask_after(getattr(L, name)(), inputs=[td.constant(ROWS), masked()]) == COUNTS


def test_masks_behind_one_another() -> None:
    whole = [True] * 3
    plain = td.constant(ROWS)
    assert mask_after(L.Concatenate(), inputs=[masked(), plain]) == COUNTS
    assert mask_after(L.Concatenate(axis=1), inputs=[plain, masked()]) == [
        [*whole, *COUNTS[0]],
        [*whole, *COUNTS[1]],
    ]
    assert not mask_after(L.Dot(2), inputs=[masked(), plain])


def test_attention_looks_at_the_values_that_count() -> None:
    attended = L.Attention()([td.constant(ROWS), masked()])
    likely = np.exp(ROWS * ROWS.transpose(0, 2, 1)) * np.array(COUNTS)[:, None]
    expected = (likely / likely.sum(-1, keepdims=True)) @ ROWS
    np.testing.assert_allclose(run(attended), expected, rtol=1e-5)
    assert mask_after(L.Attention(), inputs=[masked(), td.constant(ROWS)]) == COUNTS


def test_layers_of_users_are_given_the_mask() -> None:
    class Counted(L.Layer):  # type: ignore[misc]
        def call(self, inputs: Any, mask: Any = None) -> Any:
            return td.reduce_sum(td.cast(mask, inputs.dtype))

    class Later(L.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            return inputs[:, 1:]

        def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
            return None if mask is None else mask[:, 1:]

    class Twice(L.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.supports_masking = True

        def call(self, inputs: Any) -> Any:
            return inputs * 2

    assert run(Counted()(masked())) == 4
    assert run(Counted()(masked(), td.constant([True, False]))) == 1
    assert mask_after(Later()) == [row[1:] for row in COUNTS]
    assert mask_after(Twice()) == COUNTS


def test_steps_of_steps() -> None:
    words = td.constant([[[1, 2], [0, 3]], [[0, 0], [4, 0]]])
    rows = L.TimeDistributed(L.Embedding(9, 1, mask_zero=True, embeddings_initializer="ones"))
    assert mask_after(rows, inputs=words) == [
        [[True, True], [False, True]],
        [[False, False], [True, False]],
    ]
    sums = L.TimeDistributed(L.Lambda(lambda x, mask: td.cast(mask, "float32")))
    assert run(sums(rows(words))).tolist() == [[[1, 1], [0, 1]], [[0, 0], [1, 0]]]
    assert mask_after(rows, L.TimeDistributed(L.Flatten()), inputs=words) == [
        [True, True],
        [False, True],
    ]


def test_both_ways_give_zeros_at_steps_that_do_not_count() -> None:
    both = L.Bidirectional(L.SimpleRNN(1, return_sequences=True))
    found = run(both(masked()))
    assert (found[~np.array(COUNTS)] == 0).all()
    assert (found[np.array(COUNTS)] != 0).all()
    zeros = run(L.GRU(2, return_sequences=True, zero_output_for_mask=True)(masked()))
    assert (zeros[0, 2] == 0).all()
    kept = run(L.GRU(2, return_sequences=True)(masked()))
    assert (kept[0, 2] == kept[0, 1]).all()


def test_losses_and_metrics_of_masked_steps() -> None:
    x = L.Input([3, 1])
    model: Any = td.keras.Model(x, L.Dense(1, kernel_initializer="ones")(L.Masking()(x)))
    model.compile("sgd", "mse", metrics=["mae"])
    # As TensorFlow 1.15: the loss is the sum over steps that count by the number of all steps.
    loss, off = model.evaluate(ROWS, np.ones([2, 3, 1]), verbose=0)
    assert (round(loss, 4), round(off, 4)) == (round((0 + 1 + 9 + 49) / 6, 4), (0 + 1 + 3 + 7) / 4)
