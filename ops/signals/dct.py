"""Cosine transforms, by the Fourier transforms of real numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import fill
from ..array.pad import pad
from ..array.ranges import range as numbers_in
from ..array.reverse import reverse
from ..array.shapes import shape
from ..array.split import split
from ..common.public_function import same_arguments
from ..math.arithmetic import multiply
from ..math.complex_numbers import complex as complex_of, real
from ..math.exponentials import rsqrt
from ..math.trigonometry import cos, sin
from .frame import frame, overlap_and_add
from .rfft import irfft, rfft
from .window_functions import vorbis_window

public = {"td.signal, td.spectral": "dct idct", "td.signal": "inverse_mdct mdct"}

_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform along the last dimension.

    Args:
        input: a tensor of float32 or float64.
        type: 1, 2, 3 or 4.
        n: the number of samples that are transformed: what is beyond is cut off, what lacks is
            taken as zeros. By default all.
        axis: -1.
        norm: "ortho" for the transform that is its own inverse's transpose, or None.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the dtype of `input`; as SciPy's function of this name.

    Raises:
        ValueError: an argument is none of these; type 1 has no orthonormal form, and takes two
            samples or more.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.dct([1.0, 2.0, 3.0, 4.0])).round(3))
        [20.    -6.309  0.    -0.448]
    """
    if type not in _INVERSES:
        raise ValueError(f"type must be 1, 2, 3 or 4, got {type!r}")
    if axis != -1:
        raise ValueError(f"axis must be -1, got {axis!r}")
    if n is not None and n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}")
    if norm not in (None, "ortho"):
        raise ValueError(f"norm must be 'ortho' or None, got {norm!r}")
    if type == 1 and norm is not None:
        raise ValueError("type 1 has no orthonormal form: norm must be None")
    with name_scope(name, "dct", [input]):
        x = convert_to_tensor(input)
        if n is not None:
            x = _of_length(x, n)
        size = x.shape[-1].value if x.shape.rank else None
        if type == 1 and size is not None and size < 2:
            raise ValueError(f"type 1 takes two samples or more, got {size}")
        return _TRANSFORMS[type](x, shape(x)[-1], norm is not None)


@same_arguments(dct)
def idct(*arguments: Any) -> Tensor:
    """The inverse of the discrete cosine transform, but for a factor unless it is orthonormal.

    Args:
        input: a tensor of float32 or float64.
        type: 1, 2, 3 or 4, of the transform that is taken back.
        n: the number of samples.
        axis: -1.
        norm: "ortho", or None; then the result is larger by 2 * n, for type 1 by 2 * (n - 1).
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the dtype of `input`.

    Raises:
        ValueError: as `td.signal.dct`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.signal.dct([1.0, 2.0, 3.0], norm="ortho")
        ...     print(session.run(td.signal.idct(x, norm="ortho")).round(3))
        [1. 2. 3.]
    """
    input, type, n, axis, norm, name = arguments
    if type not in _INVERSES:
        raise ValueError(f"type must be 1, 2, 3 or 4, got {type!r}")
    return dct(input, _INVERSES[type], n, axis, norm, name)


def _of_length(x: Tensor, n: int) -> Tensor:
    """The first `n` samples, with zeros for those that lack."""
    x = x[..., :n]
    size = x.shape[-1].value
    if size == n:
        return x
    lacking = n - shape(x)[-1] if size is None else n - size
    outer = [[0, 0]] * ((x.shape.rank or 1) - 1)
    return pad(x, [*outer, [0, lacking]])


def _first(x: Tensor, n: Tensor, orthonormal: bool) -> Tensor:
    """Extension with even symmetry at both ends."""
    return real(rfft(concat([x, reverse(x[..., 1:-1], [-1])], -1)))


def _second(x: Tensor, n: Tensor, orthonormal: bool) -> Tensor:
    turned = 2 * _turning(x, n, -1)
    y = real(rfft(x, [2 * n])[..., :n] * turned)
    return y * _weights(x, n, 0.5) if orthonormal else y


def _third(x: Tensor, n: Tensor, orthonormal: bool) -> Tensor:
    if orthonormal:
        x = x / (2 * _weights(x, n, 0.5))
    else:
        x = x * cast(n, x.dtype)
    spectrum = 2 * _turning(x, n, 1) * complex_of(x, cast(0, x.dtype))
    return real(irfft(spectrum, [2 * n]))[..., :n]


def _fourth(x: Tensor, n: Tensor, orthonormal: bool) -> Tensor:
    """Every other value of a transform of twice as many samples."""
    outer = [[0, 0]] * ((x.shape.rank or 1) - 1)
    doubled = pad(x, [*outer, [0, n]])
    y = _second(doubled, 2 * n, False)[..., 1::2]
    return y * (math.sqrt(0.5) * rsqrt(cast(n, x.dtype))) if orthonormal else y


_TRANSFORMS: dict[int, Callable[[Tensor, Tensor, bool], Tensor]] = {
    1: _first,
    2: _second,
    3: _third,
    4: _fourth,
}


def _turning(x: Tensor, n: Tensor, sign: int) -> Tensor:
    """Numbers on the unit circle, a quarter of it for the n frequencies."""
    angles = cast(numbers_in(n), x.dtype) * (math.pi / 2) / cast(n, x.dtype)
    return complex_of(cos(angles), sign * sin(angles))


def _weights(x: Tensor, n: Tensor, half: float) -> Tensor:
    """By what values are multiplied so that the transform keeps lengths: the first by less."""
    first = half * rsqrt(cast(n, x.dtype))
    return concat([first[None], fill([n - 1], first * math.sqrt(2))], 0)


def mdct(
    signals: TensorLike,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform, of frames that overlap by half.

    Args:
        signals: a tensor of floats, of shape [..., samples].
        frame_length: a scalar integer, a multiple of 4.
        window_fn: a function of a length and a dtype, or None for a constant.
        pad_end: whether the last frame is filled with zeros.
        norm: "ortho", or None.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [..., frames, frame_length / 2].

    Raises:
        ValueError: the rank is unknown, or `norm` is another one.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.mdct(td.ones([8]), 4)).shape)
        (3, 2)
    """
    with name_scope(name, "mdct", [signals, frame_length]):
        signals = convert_to_tensor(signals)
        length = convert_to_tensor(frame_length, "int32")
        frames = _windowed(frame(signals, length, length // 2, pad_end), length, window_fn)
        a, b, c, d = split(frames, 4, axis=-1)
        folded = concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1)
        return dct(folded, 4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Inverse of the modified discrete cosine transform.

    Args:
        mdcts: a tensor of floats, of shape [..., frames, frame_length / 2].
        window_fn: a function of a length and a dtype, or None for a constant, as it was for
            `td.signal.mdct`.
        norm: as it was for `td.signal.mdct`.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [..., samples]. The first and the last half of a frame lack what overlaps
        with them.

    Raises:
        ValueError: the rank is unknown or below 2, or `norm` is another one.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.signal.mdct(td.ones([8]), 4)
        ...     print(session.run(td.signal.inverse_mdct(x))[2:-2].round(3))
        [1. 1. 1. 1.]
    """
    with name_scope(name, "inverse_mdct", [mdcts]):
        mdcts = convert_to_tensor(mdcts)
        half = shape(mdcts)[-1]
        unfolded = dct(mdcts, 4, norm=norm)
        if norm is None:
            unfolded = unfolded * (0.5 / cast(half, mdcts.dtype))
        a, b = split(unfolded, 2, axis=-1)
        frames = concat([b, -reverse(b, [-1]), -reverse(a, [-1]), -a], -1)
        return overlap_and_add(_windowed(frames, 2 * half, window_fn), half)


def _windowed(frames: Tensor, length: Tensor, window_fn: Callable[..., Any] | None) -> Tensor:
    weights = math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=frames.dtype)
    return multiply(frames, weights)
