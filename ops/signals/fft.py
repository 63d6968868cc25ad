"""Fourier transforms of complex numbers over the last one, two or three dimensions, and shifts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..array.roll import roll
from ..array.shapes import shape
from ..common.flops import transform_flops
from ..common.public_function import public_function
from ..common.shared_docs import shared_docs

public = {
    "td, td.signal, td.spectral": "fft fft2d fft3d ifft ifft2d ifft3d",
    "td.signal": "fftshift ifftshift",
}

_DOC = """{summary} along the last {rank} dimensions.

Args:
    input: a tensor of complex64 or complex128, of rank {rank} or more.
    name: a name for the op.

Returns:
    A Tensor of the dtype and shape of `input`. As NumPy, in the precision of the dtype.

Raises:
    TypeError: `input` is not of complex numbers.
    ValueError: `input` has fewer dimensions.

Example:
    >>> with td.Graph().as_default(), td.Session() as session:
    ...     print(session.run(td.{name}(td.ones({shape}, td.complex64))).ravel()[:2])
    {result}
"""
_FORWARD = "The discrete Fourier transform"
_BACKWARD = "The inverse of the discrete Fourier transform"


def check_rank(x: Array, rank: int) -> None:
    """Raises ValueError if the input has too few dimensions."""
    if x.ndim < rank:
        raise ValueError(f"input must have rank at least {rank}, got shape {list(x.shape)}")


class Transform(Protocol):
    """The public function of a transform."""

    def __call__(self, input: TensorLike, name: str | None = None) -> Tensor:
        """Adds the ops."""


def _op(op_type: str, attrs: str, function: Callable[..., Array], rank: int) -> OpDef:
    dtype = "Tcomplex" if attrs else "complex64"
    traits = Traits(splits="...{0}->...{0}".format("_" * rank))
    op = OpDef(op_type, f"input: {dtype} -> output: {dtype}", attrs, traits=traits)
    axes = tuple(range(-rank, 0))

    @op.shape
    def same_shape(c: ShapeContext) -> TensorShape:
        return c.shape("input", min_rank=rank)

    op.flops(partial(transform_flops, rank=rank))

    @op.fresh_kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype

        def transformed(x: Array) -> Array:
            check_rank(x, rank)
            return function(x, axes=axes).astype(dtype, copy=False) if x.size else x.copy()

        return transformed

    return op


def _transform(
    name: str, op_type: str, function: Callable[..., Array], rank: int, summary: str
) -> tuple[OpDef, Transform]:
    """A row of the table of transforms: the op, and its public function."""
    op = _op(op_type, "Tcomplex: {complex64, complex128} = complex64", function, rank)
    _op(f"Batch{op_type}", "", function, rank)  # as TensorFlow called it before 0.12

    def call(input: Any, name: str | None = None) -> Tensor:
        return op(input, name=name)

    shape = [2] * rank
    result = f"[{2**rank}.+0.j 0.+0.j]" if summary is _FORWARD else "[1.+0.j 0.+0.j]"
    doc = _DOC.format(summary=summary, rank=rank, name=name, shape=shape, result=result)
    return op, public_function(call, name, doc)


FFT, fft = _transform("fft", "FFT", np.fft.fftn, 1, _FORWARD)
FFT2D, fft2d = _transform("fft2d", "FFT2D", np.fft.fftn, 2, _FORWARD)
FFT3D, fft3d = _transform("fft3d", "FFT3D", np.fft.fftn, 3, _FORWARD)
IFFT, ifft = _transform("ifft", "IFFT", np.fft.ifftn, 1, _BACKWARD)
IFFT2D, ifft2d = _transform("ifft2d", "IFFT2D", np.fft.ifftn, 2, _BACKWARD)
IFFT3D, ifft3d = _transform("ifft3d", "IFFT3D", np.fft.ifftn, 3, _BACKWARD)


_documented = shared_docs(
    {
        "x": "a tensor.",
        "axes": "an int or several: the dimensions; by default all.",
        "name": "a name for the scope of the ops.",
    },
    returns="A Tensor of the dtype and shape of `x`; as NumPy.",
)


@_documented
def fftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
    """Shifts the zero frequency of a spectrum to the middle.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.fftshift([0, 1, 2, -2, -1])))
        [-2 -1  0  1  2]
    """
    return _shifted(name, "fftshift", x, axes, lambda size: size // 2)


@_documented
def ifftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
    """Inverse of `td.signal.fftshift`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.ifftshift([-2, -1, 0, 1, 2])))
        [ 0  1  2 -2 -1]
    """
    return _shifted(name, "ifftshift", x, axes, lambda size: -(size // 2))


def _shifted(
    name: str | None, default_name: str, x: Any, axes: Any, by: Callable[[Tensor], Any]
) -> Tensor:
    with name_scope(name, default_name, [x]) as scope:
        x = convert_to_tensor(x)
        if axes is None:
            if x.shape.rank is None:
                raise ValueError("axes must be given where the rank of x is unknown")
            axes = list(range(x.shape.rank))
        axes = [axes] if isinstance(axes, int) else list(axes)
        sizes = shape(x)
        return roll(x, [by(sizes[axis]) for axis in axes], axes, name=scope)
