"""Functions on signals that are compared with TensorFlow's: for any library of its interface."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np

_RANDOM = np.random.default_rng(0)
SOUND = _RANDOM.normal(size=(2, 37)).astype(np.float32)
ROWS = _RANDOM.normal(size=(3, 16))
SPECTRA = np.abs(_RANDOM.normal(size=(2, 3, 129))).astype(np.float32)

Case = Callable[[Any], Any]
CASES: dict[str, Case] = {}


def call(path: str, *arguments: Any, **more: Any) -> Case:
    """A call of the function that stands at `path` in a library."""
    return lambda tf: attrgetter(path)(tf)(*arguments, **more)


def added(length: int, step: int, pad_end: bool) -> Case:
    return lambda tf: tf.signal.overlap_and_add(tf.signal.frame(SOUND, length, step, pad_end), step)


def there_and_back(length: int, step: int, pad_end: bool) -> Case:
    def back(tf: Any) -> Any:
        spectra = tf.signal.stft(SOUND, length, step, pad_end=pad_end)
        window = tf.signal.inverse_stft_window_fn(step)
        return tf.signal.inverse_stft(spectra, length, step, window_fn=window)

    return back


def modified(norm: str | None) -> Case:
    return lambda tf: tf.signal.inverse_mdct(tf.signal.mdct(SOUND, 8, norm=norm), norm=norm)


def gradient(name: str) -> Case:
    """Gradient of a weighted sum of squared magnitudes of the results of a transform."""

    def gradients(tf: Any) -> Any:
        x = tf.constant(SOUND)
        given = x if name.startswith("r") else tf.complex(x, 2 * x)
        y = getattr(tf.signal, name)(given)
        sizes = y.shape.as_list()
        weights = np.cos(np.arange(np.prod(sizes))).reshape(sizes).astype(np.float32)
        return tf.gradients(tf.reduce_sum(tf.square(tf.abs(y) * weights)), x)[0]

    return gradients


for _kind, _norm, _n in product((1, 2, 3, 4), (None, "ortho"), (None, 9, 20)):
    if _kind > 1 or _norm is None:
        for _name in ("dct", "idct"):
            _key = f"{_name}{_kind}{_norm}{_n}"
            CASES[_key] = call(f"signal.{_name}", ROWS, _kind, n=_n, norm=_norm)

for _length in (1, 2, 5, 8):
    for _name, _periodic in product(("hann_window", "hamming_window"), (True, False)):
        CASES[f"{_name}{_length}{_periodic}"] = call(f"signal.{_name}", _length, _periodic)
    CASES[f"kaiser{_length}"] = call("signal.kaiser_window", _length)
    CASES[f"vorbis{_length}"] = call("signal.vorbis_window", _length)
CASES["derived"] = call("signal.kaiser_bessel_derived_window", 8, 4.0)

for _pad, (_length, _step) in product((True, False), ((5, 3), (8, 2), (4, 4), (3, 5))):
    _key = f"{_pad}{_length}{_step}"
    CASES[f"frame{_key}"] = call("signal.frame", SOUND, _length, _step, _pad)
    CASES[f"columns{_key}"] = call("signal.frame", SOUND.T, _length, _step, _pad, axis=0)
    CASES[f"stft{_key}"] = call("signal.stft", SOUND, _length, _step, pad_end=_pad)
    CASES[f"longer{_key}"] = call(
        "signal.stft", SOUND, _length, _step, _length + 3, window_fn=None, pad_end=_pad
    )
    CASES[f"added{_key}"] = added(_length, _step, _pad)
    CASES[f"inverse{_key}"] = there_and_back(_length, _step, _pad)

for _norm in (None, "ortho"):
    CASES[f"mdct{_norm}"] = call("signal.mdct", SOUND, 8, norm=_norm, pad_end=True)
    CASES[f"inverse_mdct{_norm}"] = modified(_norm)
CASES["mdct_plain"] = call("signal.mdct", SOUND, 8, window_fn=None)
CASES["mel"] = call("signal.linear_to_mel_weight_matrix")
CASES["mel_wide"] = call("signal.linear_to_mel_weight_matrix", 5, 33, 16000, 20.0, 7000.0)
CASES["mfccs"] = call("signal.mfccs_from_log_mel_spectrograms", ROWS)

_LENGTHS: list[list[int] | None] = [None, [10], [37], [50], [72], [73]]
for _lengths in _LENGTHS:
    CASES[f"rfft{_lengths}"] = call("signal.rfft", SOUND, _lengths)
    CASES[f"irfft{_lengths}"] = call("signal.irfft", SOUND.astype(np.complex64), _lengths)
for _lengths in (None, [2, 10], [4, 37], [3, 80]):
    CASES[f"rfft2d{_lengths}"] = call("signal.rfft2d", SOUND, _lengths)
    CASES[f"irfft2d{_lengths}"] = call("signal.irfft2d", SOUND.astype(np.complex64), _lengths)
CASES["rfft3d"] = call("signal.rfft3d", SOUND[None])
CASES["fftshift"] = call("signal.fftshift", SOUND)
CASES["ifftshift"] = call("signal.ifftshift", SOUND, 1)

for _window, _step in ((10, 5), (16, 3), (100, 2), (37, 1)):
    for _squared in (True, False):
        CASES[f"spectrogram{_window}{_squared}"] = call(
            "raw_ops.AudioSpectrogram",
            input=SOUND.T,
            window_size=_window,
            stride=_step,
            magnitude_squared=_squared,
        )
for _rate, _low, _high, _bands, _kept in (
    (8000, 20.0, 4000.0, 40, 13),
    (16000, 300.0, 7000.0, 10, 10),
    (16000, 300.0, 9000.0, 10, 10),
):
    CASES[f"mfcc{_rate}{_high}"] = call(
        "raw_ops.Mfcc",
        spectrogram=SPECTRA,
        sample_rate=_rate,
        lower_frequency_limit=_low,
        upper_frequency_limit=_high,
        filterbank_channel_count=_bands,
        dct_coefficient_count=_kept,
    )

for _name in ("fft", "fft2d", "ifft", "ifft2d", "irfft", "irfft2d", "rfft", "rfft2d"):
    CASES[f"gradient_{_name}"] = gradient(_name)
