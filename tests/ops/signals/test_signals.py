"""Functions on signals beside those of TensorFlow: see tests/golden/make_signals.py."""

from __future__ import annotations

import numpy as np
import pytest
from golden import signal_cases
from places import GOLDEN

import tensordraft as td

FOUND = np.load(GOLDEN / "signals.npz")


@pytest.mark.parametrize("name", signal_cases.CASES)
def test_results_are_those_of_tensorflow(name: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        result = session.run(signal_cases.CASES[name](td))
    wanted = FOUND[name]
    assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
    largest = np.abs(wanted).max(initial=0)
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=4e-6 * largest)


def test_frames_of_a_length_that_a_run_tells() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, td.TensorShape(["batch", "n"]))
        length = td.placeholder(td.int32, [])
        frames = td.signal.frame(x, 4, 2)
        assert str(frames.shape) == "(batch, max(n//2 - 1, 0), 4)"
        back = td.signal.overlap_and_add(td.signal.frame(x, length, length), length)
        spectra = td.signal.stft(x, length, 2)
        sound = np.arange(20, dtype=np.float32).reshape(2, 10)
        assert session.run(back, {x: sound, length: 5}).tolist() == sound.tolist()
        assert session.run(spectra, {x: sound, length: 5}).shape == (2, 3, 5)


@pytest.mark.parametrize(
    ("call", "clause"),
    [
        (lambda: td.signal.dct([1.0], 5), "type must be 1, 2, 3 or 4, got 5"),
        (lambda: td.signal.dct([1.0, 2.0], norm="forward"), "norm must be 'ortho' or None"),
        (lambda: td.signal.dct([1.0, 2.0], n=0), "n must be at least 1"),
        (lambda: td.signal.dct([1.0], 1), "two samples or more, got 1"),
        (lambda: td.signal.dct([[1.0]], axis=0), "axis must be -1"),
        (lambda: td.signal.idct([1.0], 0), "type must be 1, 2, 3 or 4, got 0"),
        (lambda: td.signal.frame(1.0, 2, 2), r"axis = -1 is not in \[0, 0\)"),
        (lambda: td.signal.frame(td.placeholder(td.float32), 2, 2), "known rank"),
        (lambda: td.signal.overlap_and_add([1.0], 2), "rank"),
        (lambda: td.signal.overlap_and_add([[1.0]], 2.0), "scalar integer"),
        (lambda: td.signal.hann_window([2]), "window_length must be a scalar"),
        (lambda: td.signal.hann_window(2, dtype=td.int32), "dtype must be of floats, got int32"),
        (lambda: td.signal.linear_to_mel_weight_matrix(0), "num_mel_bins must be positive"),
        (
            lambda: td.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0),
            "at most half of sample_rate = 8000",
        ),
        (lambda: td.signal.mfccs_from_log_mel_spectrograms(td.zeros([2, 0])), "got 0"),
        (lambda: td.signal.fftshift(td.placeholder(td.float32)), "axes must be given"),
    ],
)
def test_wrong_arguments_are_named(call: object, clause: str) -> None:
    with td.Graph().as_default(), pytest.raises(ValueError, match=clause):
        call()  # type: ignore[operator]
