"""The ops of speech recognition: spectra of sounds, and their cepstral coefficients."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import Dim, dim_max
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..common.parallel_blocks import on_one_thread

AUDIO_SPECTROGRAM = OpDef(
    "AudioSpectrogram",
    "input: float32 -> spectrogram: float32",
    "window_size: int, stride: int, magnitude_squared: bool = false",
)
MFCC = OpDef(
    "Mfcc",
    "spectrogram: float32, sample_rate: int32 -> output: float32",
    "upper_frequency_limit: float = 4000.0, lower_frequency_limit: float = 20.0, "
    "filterbank_channel_count: int = 40, dct_coefficient_count: int = 13",
)

_QUIETEST = 1e-12  # of which the logarithm is taken where a band holds less
_MOST_WINDOW = 2**24


# Spectra -----------------------------------------------------------------------------------------


def _window_and_stride(c: OpContext) -> tuple[int, int]:
    window, stride = c.attr("window_size"), c.attr("stride")
    if not 2 <= window <= _MOST_WINDOW:
        raise ValueError(f"window_size must be in [2, {_MOST_WINDOW}], got {window}")
    if stride < 1:
        raise ValueError(f"stride must be at least 1, got {stride}")
    return window, stride


def _transformed(window: int) -> int:
    """FFT length: the next power of 2."""
    return 1 << (window - 1).bit_length()


@AUDIO_SPECTROGRAM.shape
def _spectrogram_shape(c: ShapeContext) -> TensorShape:
    window, stride = _window_and_stride(c)
    samples, channels = cast("tuple[Dim, Dim]", c.shape("input", rank=2).sizes)
    frames = dim_max(0, (samples - window) // stride + 1)
    return TensorShape.of((channels, frames, _transformed(window) // 2 + 1))


@AUDIO_SPECTROGRAM.fresh_kernel
def _spectrogram_kernel(c: KernelContext) -> Kernel:
    window, stride = _window_and_stride(c)
    size, squared = _transformed(window), c.attr("magnitude_squared")
    weights = 0.5 - 0.5 * np.cos(2 * np.pi / window * np.arange(window))

    def spectrogram(x: Array) -> Array:
        if x.ndim != 2:
            raise ValueError(f"input must have shape [samples, channels], got {list(x.shape)}")
        samples, channels = x.shape
        frames = max(0, (samples - window) // stride + 1)
        check_size((channels, frames, size), np.dtype(np.complex128))
        if frames == 0:
            return np.zeros((channels, 0, size // 2 + 1), np.float32)
        views = np.lib.stride_tricks.sliding_window_view(x.T, window, axis=1)[:, ::stride]
        spectra = np.fft.rfft(views * weights, size)
        power = spectra.real**2 + spectra.imag**2
        return (power if squared else np.sqrt(power)).astype(np.float32)

    return spectrogram


# Cepstral coefficients ---------------------------------------------------------------------------


@MFCC.shape
def _mfcc_shape(c: ShapeContext) -> TensorShape:
    _check_counts(c)
    c.shape("sample_rate", rank=0)
    sizes = c.shape("spectrogram", rank=3).sizes or ()
    return TensorShape.of((*sizes[:2], c.attr("dct_coefficient_count")))


def _check_counts(c: OpContext) -> None:
    for name in ("filterbank_channel_count", "dct_coefficient_count"):
        if not 1 <= c.attr(name) <= 2**16:
            raise ValueError(f"{name} must be in [1, {2**16}], got {c.attr(name)}")
    if c.attr("dct_coefficient_count") > c.attr("filterbank_channel_count"):
        raise ValueError(
            f"dct_coefficient_count = {c.attr('dct_coefficient_count')} must be at most "
            f"filterbank_channel_count = {c.attr('filterbank_channel_count')}"
        )
    lower, upper = c.attr("lower_frequency_limit"), c.attr("upper_frequency_limit")
    if not 0 <= lower < upper:
        raise ValueError(
            f"lower_frequency_limit = {lower} must be at least 0 and below "
            f"upper_frequency_limit = {upper}"
        )


@MFCC.fresh_kernel
@on_one_thread()
def _mfcc_kernel(c: KernelContext) -> Kernel:
    _check_counts(c)
    bands, number = c.attr("filterbank_channel_count"), c.attr("dct_coefficient_count")
    lower, upper = c.attr("lower_frequency_limit"), c.attr("upper_frequency_limit")
    cosines = math.sqrt(2 / bands) * np.cos(
        np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(number))
    )

    def mfcc(spectrogram: Array, sample_rate: Array) -> Array:
        if spectrogram.ndim != 3 or spectrogram.shape[2] < 2:
            raise ValueError(
                "spectrogram must have shape [channels, frames, frequencies], with two frequencies "
                f"or more, got {list(spectrogram.shape)}"
            )
        if sample_rate.ndim or int(sample_rate) < 1:
            raise ValueError(f"sample_rate must be a positive scalar, got {sample_rate}")
        size, rate = spectrogram.shape[2], int(sample_rate)
        step = 0.5 * rate / (size - 1)
        if int(upper / step) >= size:  # the spectrum ends before: TensorFlow logs an error
            return np.zeros((*spectrogram.shape[:2], number), np.float32)
        shares = _band_shares(size, step, bands, lower, upper)
        loudness = np.sqrt(spectrogram.astype(np.float64)) @ shares
        result: Array = np.log(np.maximum(loudness, _QUIETEST)) @ cosines
        return result.astype(np.float32)

    return mfcc


def _band_shares(size: int, step: float, bands: int, lower: float, upper: float) -> Array:
    """Weight of each frequency in each band: shared by the two adjacent bands.

    Args:
        size: the number of frequencies.
        step: hertz from one to the next.
        bands: the number of bands.
        lower: where the lowest band begins, in hertz.
        upper: where the highest band ends, in hertz.
    """
    check_size((size, bands), np.dtype(np.float64))
    first, last = int(1.5 + lower / step), int(upper / step)
    lowest, highest = _mel(np.array([lower, upper]))
    centres = lowest + (highest - lowest) / (bands + 1) * np.arange(1, bands + 2)
    shares = np.zeros((size, bands))
    if last < first:
        return shares
    places = np.arange(first, last + 1)
    mel = _mel(places * step)
    above = np.searchsorted(centres[:bands], mel)  # the band whose centre is next
    below = np.where(above > 0, centres[above - 1], lowest)
    share = (centres[above] - mel) / (centres[above] - below)
    inner = above > 0
    shares[places[inner], above[inner] - 1] = share[inner]
    inner = above < bands
    shares[places[inner], above[inner]] += 1 - share[inner]
    return shares


def _mel(hertz: Array) -> Array:
    return 1127.0 * np.log1p(hertz / 700.0)
