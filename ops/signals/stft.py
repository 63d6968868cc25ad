"""Short-time Fourier transforms: the spectra of frames that overlap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.cast import cast
from ..array.pad import pad
from ..array.reshape import reshape
from ..array.tile import tile
from ..math.arithmetic import ceil, maximum, square
from ..math.division import div_no_nan
from ..math.exponentials import log
from ..math.reductions import reduce_sum
from .frame import frame, overlap_and_add
from .rfft import irfft, rfft
from .window_functions import hann_window

public = {
    "td.signal": "inverse_stft inverse_stft_window_fn stft",
}


def stft(
    signals: TensorLike,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Short-time Fourier transform of signals.

    Args:
        signals: a tensor of floats, of shape [..., samples].
        frame_length: a scalar integer: the samples of a frame.
        frame_step: a scalar integer: how far from one another frames begin.
        fft_length: a scalar integer: the samples that are transformed, with zeros behind a frame;
            by default the smallest power of 2 that holds a frame.
        window_fn: a function of a length and a dtype, by which frames are weighted, or None.
        pad_end: whether frames that begin within the signal and end behind it are taken.
        name: a name for the scope of the ops.

    Returns:
        A complex Tensor of shape [..., frames, fft_length // 2 + 1].

    Raises:
        ValueError: the rank of `signals` is unknown or 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.stft(td.ones([6]), 4, 2)).real.round(3))
        [[ 2. -1.  0.]
         [ 2. -1.  0.]]
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals)
        length = convert_to_tensor(frame_length, "int32")
        step = convert_to_tensor(frame_step, "int32")
        frames = frame(signals, length, step, pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return rfft(frames, [_transformed(length, fft_length)])


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Inverse short-time Fourier transform.

    Args:
        stfts: a complex tensor of shape [..., frames, fft_length // 2 + 1].
        frame_length: a scalar integer: the samples of a frame.
        frame_step: a scalar integer: how far from one another frames begin.
        fft_length: a scalar integer, as it was for `td.signal.stft`.
        window_fn: a function of a length and a dtype, or None;
            `td.signal.inverse_stft_window_fn` gives the one that takes another back.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of floats, of shape [..., samples].

    Raises:
        ValueError: the rank of `stfts` is unknown or below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.signal.stft([0.0, 0, 1, 2, 3, 4, 0, 0], 4, 2)
        ...     weights = td.signal.inverse_stft_window_fn(2)
        ...     y = td.signal.inverse_stft(x, 4, 2, window_fn=weights)
        ...     print(session.run(y[2:-2]).round(3))
        [1. 2. 3. 4.]
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts)
        length = convert_to_tensor(frame_length, "int32")
        step = convert_to_tensor(frame_step, "int32")
        transformed = convert_to_tensor(_transformed(length, fft_length), "int32")
        frames = irfft(stfts, [transformed])[..., :length]
        lacking = maximum(0, length - transformed)
        if constant_value(lacking) != 0:
            outer = [[0, 0]] * ((frames.shape.rank or 1) - 1)
            frames = pad(frames, [*outer, [0, lacking]])
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, step)


def _transformed(length: Tensor, fft_length: Any) -> Any:
    """FFT length: a power of 2 by default."""
    if fft_length is not None:
        return fft_length
    static_length = constant_value(length)
    if static_length is not None:
        return 1 << max(0, int(static_length) - 1).bit_length()
    exponent = ceil(log(cast(length, "float32")) / log(cast(2.0, "float32")))
    return cast(2.0**exponent, "int32")


def inverse_stft_window_fn(
    frame_step: Any,
    forward_window_fn: Callable[..., Any] = hann_window,
    name: str | None = None,
) -> Callable[..., Tensor]:
    """Window with which `td.signal.inverse_stft` inverts `td.signal.stft`.

    Args:
        frame_step: a scalar integer: how far from one another frames begin.
        forward_window_fn: the window of the spectra.
        name: a name for the scope of the ops.

    Returns:
        A function of a frame's length and a dtype that returns a Tensor of shape [frame_length].
        Where no frame weighs anything it is zero, as in TensorFlow 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.inverse_stft_window_fn(2)(4, dtype=td.float32)))
        [0. 1. 1. 1.]
    """

    def window(frame_length: Any, dtype: Any) -> Tensor:
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            length = convert_to_tensor(frame_length, "int32")
            step = convert_to_tensor(frame_step, "int32")
            weights = forward_window_fn(length, dtype=dtype)
            parts = -(-length // step)
            power = reshape(pad(square(weights), [[0, parts * step - length]]), [parts, step])
            total = tile(reduce_sum(power, 0, keepdims=True), [parts, 1])
            return div_no_nan(weights, reshape(total, [parts * step])[:length])

    return window
