"""The mel scale and mel-frequency cepstral coefficients."""

from __future__ import annotations

from typing import Any

from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import as_dtype, float32
from ..array.cast import cast
from ..array.pad import pad
from ..array.ranges import linspace
from ..array.shapes import shape
from ..math.arithmetic import maximum, minimum
from ..math.exponentials import log, rsqrt
from .dct import dct

public = {"td.signal": "linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms"}

_BREAK = 700.0  # hertz: where the scale turns from linear to logarithmic
_HIGH = 1127.0


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Matrix that maps linear-frequency spectra to the mel scale.

    Args:
        num_mel_bins: the number of bands.
        num_spectrogram_bins: a scalar integer: the number of frequencies, from 0 to half of
            `sample_rate`.
        sample_rate: samples a second.
        lower_edge_hertz: where the lowest band begins.
        upper_edge_hertz: where the highest band ends.
        dtype: a dtype of floats.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [num_spectrogram_bins, num_mel_bins], of triangles that overlap by half.

    Raises:
        ValueError: an argument is not positive, the edges are not in order, or the upper one is
            above half of `sample_rate`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.linear_to_mel_weight_matrix(2, 5)).round(2))
        [[0.   0.  ]
         [0.72 0.28]
         [0.   0.9 ]
         [0.   0.35]
         [0.   0.  ]]
    """
    with name_scope(name, "linear_to_mel_weight_matrix"):
        dtype = as_dtype(dtype)
        rate = convert_to_tensor(sample_rate)
        _check(num_mel_bins, constant_value(rate), lower_edge_hertz, upper_edge_hertz, dtype)
        highest = cast(rate, dtype) / 2
        # The frequency 0 belongs to no band; its logarithm would be that of nothing.
        hertz = linspace(cast(0, dtype), highest, num_spectrogram_bins)[1:]
        edges = linspace(
            _mel(cast(lower_edge_hertz, dtype)),
            _mel(cast(upper_edge_hertz, dtype)),
            num_mel_bins + 2,
        )
        lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
        mel = _mel(hertz)[:, None]
        rising = (mel - lower) / (centre - lower)
        falling = (upper - mel) / (upper - centre)
        return pad(maximum(cast(0, dtype), minimum(rising, falling)), [[1, 0], [0, 0]])


def _check(bins: int, rate: Any, lower: float, upper: float, dtype: Any) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive, got {bins}")
    if lower < 0:
        raise ValueError(f"lower_edge_hertz must be at least 0, got {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz = {lower} must be below upper_edge_hertz = {upper}")
    if rate is not None and rate <= 0:
        raise ValueError(f"sample_rate must be positive, got {rate}")
    if rate is not None and upper > rate / 2:
        raise ValueError(f"upper_edge_hertz = {upper} must be at most half of sample_rate = {rate}")
    if not dtype.is_floating:
        raise ValueError(f"dtype must be of floats, got {dtype.name}")


def _mel(hertz: Any) -> Tensor:
    return _HIGH * log(1 + hertz / _BREAK)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients (MFCCs) of mel spectra.

    Args:
        log_mel_spectrograms: a tensor of floats, of shape [..., num_mel_bins].
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the same shape: cosine transforms, scaled as by the HTK toolkit.

    Raises:
        ValueError: there are no bins.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.mfccs_from_log_mel_spectrograms([1.0, 2.0])).round(3))
        [ 3.    -0.707]
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = convert_to_tensor(log_mel_spectrograms)
        if spectra.shape.rank and spectra.shape[-1].value == 0:
            raise ValueError("num_mel_bins must be positive, got 0")
        bins = cast(shape(spectra)[-1], spectra.dtype)
        return dct(spectra) * rsqrt(2 * bins)
