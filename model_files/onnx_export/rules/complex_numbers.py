"""Complex numbers as pairs of real ones, and Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..writing.calls import Call, Pair
from ..writing.registry import rule
from ..writing.values import Value
from .elementwise import angle_of


def _pair(c: Call, i: int = 0) -> Pair:
    value = c.object(i)
    if isinstance(value, Pair):
        return value
    if c.op.inputs[i].dtype.is_complex:
        c.refuse("it reads complex numbers that do not come from real ones in the graph")
    real = value
    return Pair(real, real * 0)


@rule("Complex", nodes="none")
def _complex(c: Call) -> Pair:
    return Pair(c.inputs[0], c.inputs[1])


@rule("Real", nodes="none")
def _real(c: Call) -> Value:
    return _pair(c).real


@rule("Imag", nodes="none")
def _imag(c: Call) -> Value:
    return _pair(c).imaginary


@rule("Conj", nodes="Neg")
def _conj(c: Call) -> Any:
    if not c.op.inputs[0].dtype.is_complex:
        return c.x
    pair = _pair(c)
    return Pair(pair.real, -pair.imaginary)


@rule("Angle", nodes="Atan, Div, Where")
def _angle(c: Call) -> Value:
    pair = _pair(c)
    return angle_of(c, pair.imaginary, pair.real)


@rule("ComplexAbs", nodes="Mul, Add, Sqrt")
def _abs(c: Call) -> Value:
    pair = _pair(c)
    return c.node("Sqrt", pair.real * pair.real + pair.imaginary * pair.imaginary)


def _line(c: Call, value: Value, axis: int, rank: int, size: int, known: int | None) -> Value:
    """The first elements along an axis, with zeros behind them where there are too few."""
    if known == size:
        return value
    axis %= rank
    if known is None or known < size:
        pads = [(0, 0)] * rank
        pads[axis] = (0, size if known is None else size - known)
        value = c.pad(value, pads)
    return c.slice(value, [0], [size], [axis])


def _waves(size: int, rows: Sequence[int], *, inverse: bool) -> tuple[Any, Any]:
    angle = 2 * np.pi * (np.outer(np.arange(size), np.asarray(rows)) % size) / size
    return np.cos(angle), np.sin(angle) if inverse else -np.sin(angle)


def _transformed(
    c: Call, pair: Pair, axis: int, rank: int, size: int, kept: int, *, inverse: bool
) -> Pair:
    """The discrete Fourier transform along an axis, as products with matrices."""
    cosine, sine = _waves(size, range(kept), inverse=inverse)
    scale = 1 / size if inverse else 1.0
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    dtype = pair.real.dtype
    real, imaginary = (c.transpose(part, order) for part in (pair.real, pair.imaginary))
    first, second = c.constant(cosine * scale, dtype), c.constant(sine * scale, dtype)
    parts = (
        c.node("MatMul", real, first) - c.node("MatMul", imaginary, second),
        c.node("MatMul", real, second) + c.node("MatMul", imaginary, first),
    )
    return Pair(*[c.transpose(part, order) for part in parts])


def _axes(c: Call) -> int:
    return int(c.op.type.rstrip("D")[-1]) if c.op.type.endswith("D") else 1


@rule("FFT FFT2D FFT3D IFFT IFFT2D IFFT3D", nodes="MatMul")
def _fft(c: Call) -> Pair:
    rank, pair = c.rank(), _pair(c)
    sizes = c.shape() or ()
    for axis in range(rank - _axes(c), rank):
        size = sizes[axis]
        if size is None:
            c.refuse("the size of the axis is not known")
        pair = _transformed(c, pair, axis, rank, size, size, inverse=c.op.type.startswith("I"))
    return pair


@rule("RFFT RFFT2D RFFT3D", nodes="MatMul")
def _rfft(c: Call) -> Pair:
    rank, number = c.rank(), _axes(c)
    lengths = [int(size) for size in c.required(1, "the length")]
    value, sizes = c.x, c.shape() or ()
    for i, size in enumerate(lengths):
        axis = rank - number + i
        value = _line(c, value, axis, rank, size, sizes[axis])
    pair = Pair(value, value * 0)
    for i, size in reversed(list(enumerate(lengths))):
        kept = size // 2 + 1 if i == number - 1 else size
        pair = _transformed(c, pair, rank - number + i, rank, size, kept, inverse=False)
    return pair


@rule("IRFFT", nodes="MatMul")
def _irfft(c: Call) -> Value:
    rank, pair = c.rank(), _pair(c)
    size = int(c.required(1, "the length")[0])
    kept = size // 2 + 1
    known = (c.shape() or ())[-1]
    parts = [_line(c, part, -1, rank, kept, known) for part in (pair.real, pair.imaginary)]
    # The frequencies that are left out are the conjugates of these.
    weights = np.where((np.arange(kept) == 0) | (2 * np.arange(kept) == size), 1.0, 2.0) / size
    cosine, sine = _waves(size, range(kept), inverse=True)
    dtype = pair.real.dtype
    first = c.constant((cosine * weights).T, dtype)
    second = c.constant((sine * weights).T, dtype)
    return c.node("MatMul", parts[0], first) - c.node("MatMul", parts[1], second)
