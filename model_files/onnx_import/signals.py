"""Fourier transforms, windows and filter banks of ONNX."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import scaled, selected
from .nodes import apply, as_size, axis_of, cast, rank_of, reshape, size_of
from .tensors import MalformedError

# Factors of the cosines of a window.
_WINDOWS = {
    "BlackmanWindow": (0.42, -0.5, 0.08),
    "HammingWindow": (25 / 46, -21 / 46),
    "HannWindow": (0.5, -0.5),
}


def _scalar(x: Tensor) -> Tensor:
    return cast(reshape(x, []), dtypes.int64)


def _complex(x: Tensor) -> Tensor:
    """A tensor whose last axis has real parts, or real and imaginary ones, as complex numbers."""
    parts = x.shape.as_list()[-1]
    if parts not in (1, 2):
        raise MalformedError(f"the last size of its input must be 1 or 2, got {x.shape}")
    wider = x if x.dtype in (dtypes.float32, dtypes.float64) else cast(x, dtypes.float32)
    real, *imaginary = apply("Unpack", wider, num=parts, axis=-1)
    imaginary = imaginary or [apply("ZerosLike", real)]
    return apply("Complex", real, imaginary[0], Tout=_complex_dtype(real))


def _complex_dtype(real: Tensor) -> Any:
    return dtypes.complex128 if real.dtype is dtypes.float64 else dtypes.complex64


def _real(x: Tensor, like: Tensor) -> Tensor:
    """Complex numbers as an axis of real and imaginary parts."""
    part = dtypes.float64 if x.dtype is dtypes.complex128 else dtypes.float32
    pair = [apply(op_type, x, Tout=part) for op_type in ("Real", "Imag")]
    return cast(apply("Pack", pair, axis=rank_of(x)), like.dtype)


def _of_length(x: Tensor, length: Any) -> Tensor:
    """A tensor whose last axis is cut off or padded with zeros to a length."""
    size = size_of(x, -1)
    if isinstance(size, int) and isinstance(length, int) and size == length:
        return x
    rank = rank_of(x)
    zeros = np.zeros(rank - 1, np.int64)
    more = apply("Maximum", apply("Sub", as_size(length), as_size(size)), np.int64(0))
    last = apply("Pack", [np.int64(0), more])
    pads = apply("Pack", [*[np.zeros(2, np.int64)] * (rank - 1), last])
    sizes = apply("ConcatV2", [zeros - 1, apply("Pack", [as_size(length)])], np.int32(0))
    return apply("Slice", apply("Pad", x, pads), np.zeros(rank, np.int64), sizes)


def _dft(c: Call) -> Tensor:
    x = c[0]
    rank = rank_of(x)
    if c.version >= 20:
        known_axis = c.const(2) if c.has(2) else np.int64(-2)
        axis = None if known_axis is None else axis_of(int(known_axis.reshape(())), rank)
    else:
        axis = axis_of(c.int("axis", 1), rank)
    inverse, onesided = bool(c.int("inverse", 0)), bool(c.int("onesided", 0))
    values = _complex(x)
    order: Any
    if axis is None:
        order = _with_last(apply("FloorMod", _scalar(c[2]), np.int64(rank)), rank - 1)
    else:
        order = np.array([i for i in range(rank - 1) if i != axis] + [axis])
    back = apply("InvertPermutation", order)
    moved = apply("Transpose", values, order)
    size = size_of(moved, -1)
    length: Any = _scalar(c[1]) if c.has(1) else size
    known = c.const(1) if c.has(1) else None
    if known is not None:
        length = int(known.reshape(()))
    if inverse and onesided:
        if not c.has(1):
            length = apply("Mul", apply("Sub", as_size(size), np.int64(1)), np.int64(2))
        count = cast(length, dtypes.int32) if isinstance(length, Tensor) else np.int32(length)
        part = dtypes.float64 if moved.dtype is dtypes.complex128 else dtypes.float32
        half = half_size(length)
        signal = apply(
            "IRFFT",
            _of_length(moved, half),
            reshape(count, [1]) if isinstance(count, Tensor) else count.reshape(1),
            Treal=part,
        )
        return cast(apply("ExpandDims", apply("Transpose", signal, back), np.int32(-1)), x.dtype)
    result = apply("IFFT" if inverse else "FFT", _of_length(moved, length))
    if onesided:
        result = _of_length(result, half_size(length))
    return _real(apply("Transpose", result, back), x)


def _with_last(axis: Tensor, rank: int) -> Tensor:
    """The order of axes that moves one, which is not known before a run, to the end."""
    front = np.arange(rank - 1)
    others = apply("AddV2", front, cast(apply("GreaterEqual", front, axis), dtypes.int64))
    return apply("ConcatV2", [others, reshape(axis, [1])], np.int32(0))


def half_size(length: Any) -> Any:
    """The number of frequencies of a real signal: half its length, and one."""
    if isinstance(length, Tensor):
        return apply("AddV2", apply("FloorDiv", length, np.int64(2)), np.int64(1))
    return length // 2 + 1


def _stft(c: Call) -> Tensor:
    x, step = c[0], _scalar(c[1])
    signal = _complex(x if rank_of(x) == 3 else apply("ExpandDims", x, np.int32(-1)))
    if c.has(3):
        length: Any = _scalar(c[3])
    elif c.has(2):
        length = as_size(size_of(c[2], 0))
    else:
        raise MalformedError("it states neither frame_length nor window")
    total = as_size(size_of(signal, 1))
    count = scaled(apply("FloorDiv", apply("Sub", total, length), step), 1, 1)
    starts = apply("Mul", apply("Range", np.int64(0), count, np.int64(1)), step)
    inside = apply("Range", np.int64(0), length, np.int64(1))
    places = apply("AddV2", apply("ExpandDims", starts, np.int32(1)), inside)
    frames = apply("GatherV2", signal, places, np.int32(1))
    if c.has(2):
        window = c[2]
        frames = apply("Mul", frames, cast(window, frames.dtype))
    result = apply("FFT", frames)
    if c.int("onesided", 1):
        result = _of_length(result, half_size(length))
    return _real(result, x)


def _window(factors: tuple[float, ...], c: Call) -> Tensor:
    size = _scalar(c[0])
    steps = cast(apply("Range", np.int64(0), size, np.int64(1)), dtypes.float64)
    span = cast(size, dtypes.float64)
    if not c.int("periodic", 1):
        span = scaled(span, 1, -1)
    angle = apply("DivNoNan", scaled(steps, 2 * np.pi), span)
    total: Any = np.float64(factors[0])
    for place, factor in enumerate(factors[1:], 1):
        total = apply("AddV2", total, scaled(apply("Cos", scaled(angle, place)), factor))
    return cast(total, c.dtype("output_datatype", dtypes.float32))


def _mel_weights(c: Call) -> Tensor:
    bins, length, rate = (cast(_scalar(c[i]), dtypes.float64) for i in range(3))
    low, high = (cast(reshape(c[i], []), dtypes.float64) for i in (3, 4))
    low_mel, high_mel = (
        scaled(apply("Log1p", scaled(edge, 1 / 700)), 2595 / np.log(10)) for edge in (low, high)
    )
    step = apply("RealDiv", apply("Sub", high_mel, low_mel), scaled(bins, 1, 2))
    numbers = cast(
        apply("Range", np.int64(0), scaled(_scalar(c[0]), 1, 2), np.int64(1)), dtypes.float64
    )
    mels = apply("AddV2", apply("Mul", numbers, step), low_mel)
    hertz = scaled(apply("Expm1", scaled(mels, np.log(10) / 2595)), 700)
    edges = apply("Floor", apply("RealDiv", apply("Mul", scaled(length, 1, 1), hertz), rate))
    count = scaled(apply("FloorDiv", _scalar(c[1]), np.int64(2)), 1, 1)
    rows = cast(apply("Range", np.int64(0), count, np.int64(1)), dtypes.float64)
    rows = apply("ExpandDims", rows, np.int32(1))
    size = _scalar(c[0])
    left, center, right = (
        apply("Slice", edges, np.array([start]), reshape(size, [1])) for start in range(3)
    )
    rise, fall = apply("Sub", center, left), apply("Sub", right, center)
    rising = apply("DivNoNan", apply("Sub", rows, left), rise)
    falling = apply("DivNoNan", apply("Sub", right, rows), fall)
    rises = apply("LogicalAnd", apply("GreaterEqual", rows, left), apply("LessEqual", rows, center))
    falls = apply("LogicalAnd", apply("GreaterEqual", rows, center), apply("Less", rows, right))
    peak = apply("Equal", rows, center)
    weights = selected(rises, rising, np.float64(0))
    weights = selected(
        apply("LogicalAnd", peak, apply("Equal", rise, np.float64(0))), np.float64(1), weights
    )
    weights = selected(falls, falling, weights)
    return cast(weights, c.dtype("output_datatype", dtypes.float32))


RULES: dict[str, Rule] = {
    **{name: partial(_window, factors) for name, factors in _WINDOWS.items()},
    "DFT": _dft,
    "MelWeightMatrix": _mel_weights,
    "STFT": _stft,
}
