"""Gradients of `ops/signals`: Fourier transforms, which are products with matrices."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.pad import pad
from ...ops.array.ranges import range as numbers_in
from ...ops.array.shapes import shape
from ...ops.array.stack import stack
from ...ops.math.arithmetic import add, multiply
from ...ops.math.comparison import equal
from ...ops.math.division import divide
from ...ops.math.logical import logical_or
from ...ops.math.reductions import reduce_prod
from ..common.rule_tables import gradient_of, raw, undefined
from ..common.static_facts import known_equal

undefined("a sound in a file is rounded to 16 bits", "DecodeWav")
undefined("td.signal.stft has a gradient", "AudioSpectrogram", "Mfcc")


def _of_complex(forward: str, backward: str, rank: int) -> None:
    """The rules of a transform of complex numbers and of its inverse: each other's, scaled."""

    @gradient_of(forward)
    def of_forward(op: Operation, gradient: Tensor) -> Tensor:
        return multiply(raw(backward)(gradient), _number(shape(gradient)[-rank:], gradient))

    @gradient_of(backward)
    def of_backward(op: Operation, gradient: Tensor) -> Tensor:
        return divide(raw(forward)(gradient), _number(shape(gradient)[-rank:], gradient))


def _of_real(forward: str, backward: str, rank: int) -> None:
    """The rules of a transform of real numbers and of its inverse.

    Half a spectrum represents the other half, too, except the frequency 0, and the highest one of
    an even number, what it holds counts twice on the way back.
    """

    @gradient_of(forward)
    def of_forward(op: Operation, gradient: Tensor) -> list[Any]:
        x, lengths = op.inputs
        types = {name: op.get_attr(name) for name in ("Treal", "Tcomplex")}
        halved = gradient * cast(_counted(lengths, x, 1.0, 0.5), gradient.dtype)
        back = raw(backward)(halved, lengths, **types)
        return [_filled_up(back * _number(lengths, back), x), None]

    @gradient_of(backward)
    def of_backward(op: Operation, gradient: Tensor) -> list[Any]:
        x, lengths = op.inputs
        types = {name: op.get_attr(name) for name in ("Treal", "Tcomplex")}
        spectrum = raw(forward)(gradient, lengths, **types)
        scale = _counted(lengths, gradient, 1.0, 2.0) / _number(lengths, gradient)
        return [_filled_up(spectrum * cast(scale, spectrum.dtype), x), None]


def _number(sizes: Tensor, like: Tensor) -> Tensor:
    """Number of elements in each transform."""
    return cast(reduce_prod(sizes), like.dtype)


def _counted(lengths: Tensor, like: Tensor, once: float, otherwise: float) -> Tensor:
    """A value for each frequency of half a spectrum: `once` for those without a mirror image."""
    last = lengths[-1]
    places = numbers_in(last // 2 + 1)
    unmirrored = logical_or(equal(places, 0), equal(2 * places, last))
    return add(multiply(cast(unmirrored, like.dtype), once - otherwise), otherwise)


def _filled_up(gradient: Tensor, x: Tensor) -> Tensor:
    """The gradient with zeros for those elements of `x` that were cut off."""
    if known_equal(gradient.shape, x.shape):
        return gradient
    behind = shape(x) - shape(gradient)
    return pad(gradient, stack([behind * 0, behind], axis=1))


for _suffix, _rank in (("", 1), ("2D", 2), ("3D", 3)):
    _of_complex(f"FFT{_suffix}", f"IFFT{_suffix}", _rank)
    _of_complex(f"BatchFFT{_suffix}", f"BatchIFFT{_suffix}", _rank)
    _of_real(f"RFFT{_suffix}", f"IRFFT{_suffix}", _rank)
