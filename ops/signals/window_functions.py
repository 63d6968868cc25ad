"""Window functions: weights of the samples of a frame."""

from __future__ import annotations

import math
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import as_dtype, float32
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import ones
from ..array.ranges import range as numbers_in
from ..array.reverse import reverse
from ..common.shared_docs import shared_docs
from ..math.arithmetic import square
from ..math.cumsum import cumsum
from ..math.exponentials import exp, sqrt
from ..math.trigonometry import cos, sin
from ..nn.activations import relu
from ..special.bessel import bessel_i0e

public = {
    "td.signal": (
        "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window"
    ),
}

_described = shared_docs(
    {
        "window_length": "a scalar integer: the number of samples.",
        "periodic": (
            "whether a window of even length is periodic, as spectra need, rather than symmetric; "
            "otherwise, and where the length is odd, it is symmetric."
        ),
        "dtype": "a dtype of floats.",
        "name": "a name for the scope of the ops.",
    },
    returns="A Tensor of shape [window_length].",
    raises="ValueError: the dtype is not of floats, or `window_length` is not a scalar.",
)


@_described
def hann_window(
    window_length: Any, periodic: bool = True, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Hann window: a raised cosine that falls to zero.

    Args:
        periodic: whether a window of even length is periodic, as spectra need, or symmetric;
            otherwise, and where the length is odd, it is symmetric. As TensorFlow; NumPy's
            `hanning` is always symmetric.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.hann_window(4)))
        [0.  0.5 1.  0.5]
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


@_described
def hamming_window(
    window_length: Any, periodic: bool = True, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Hamming window: a raised cosine that falls to 0.08.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.hamming_window(4)).round(2))
        [0.08 0.54 1.   0.54]
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(
    name: str | None,
    default_name: str,
    window_length: Any,
    periodic: bool,
    dtype: Any,
    level: float,
    height: float,
) -> Tensor:
    with name_scope(name, default_name, [window_length]):
        dtype, length = _checked(window_length, dtype)
        if constant_value(length) == 1:
            return ones([1], dtype)
        even = 1 - length % 2
        period = cast(length + int(periodic) * even - 1, dtype)
        angles = 2 * math.pi * cast(numbers_in(length), dtype) / period
        return level - height * cos(angles)


def _checked(window_length: Any, dtype: Any) -> tuple[Any, Tensor]:
    """The dtype of a window, and its length as a tensor."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be of floats, got {dtype.name}")
    length = convert_to_tensor(window_length, "int32")
    if length.shape.rank not in (0, None):
        raise ValueError(f"window_length must be a scalar, got shape {length.shape}")
    return dtype, length


@_described
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Kaiser window, by a modified Bessel function.

    Args:
        beta: how narrow it is.

    Returns:
        A Tensor of shape [window_length]; as `np.kaiser`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.kaiser_window(3, 2.0)).round(3))
        [0.439 1.    0.439]
    """
    with name_scope(name, "kaiser_window", [window_length, beta]):
        dtype, length = _checked(window_length, dtype)
        if constant_value(length) == 1:
            return ones([1], dtype)
        half = (cast(length, float32) - 1.0) / 2.0
        places = cast(numbers_in(-half, half + 0.1), dtype)
        beta = cast(beta, dtype)
        arches = beta * sqrt(relu(1 - square(places / cast(half, dtype))))
        return exp(arches - beta) * (bessel_i0e(arches) / bessel_i0e(beta))


@_described
def kaiser_bessel_derived_window(
    window_length: Any, beta: TensorLike = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Kaiser–Bessel-derived window, whose square and shifted square add up to one.

    Args:
        window_length: a scalar integer, even: the number of samples.
        beta: how narrow the Kaiser window is.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.kaiser_bessel_derived_window(4, 2.0)).round(3))
        [0.483 0.875 0.875 0.483]
    """
    with name_scope(name, "kaiser_bessel_derived_window", [window_length, beta]):
        dtype, length = _checked(window_length, dtype)
        total = cumsum(kaiser_window(length // 2 + 1, beta, dtype))
        half = sqrt(total[:-1] / total[-1])
        return concat([half, reverse(half, [0])], 0)


@_described
def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """Vorbis window, whose square and shifted square add up to one.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.vorbis_window(4)).round(3))
        [0.228 0.974 0.974 0.228]
    """
    with name_scope(name, "vorbis_window", [window_length]):
        dtype, length = _checked(window_length, dtype)
        angles = math.pi / cast(length, dtype) * (cast(numbers_in(length), dtype) + 0.5)
        return sin(math.pi / 2 * square(sin(angles)))
