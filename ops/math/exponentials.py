"""Roots, exponentials, logarithms, circular and hyperbolic functions, and complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import view
from ...shape_inference.protocols import Array
from ...shape_inference.traits import Elementwise
from ..common.elementwise import (
    COMPLEX,
    FLOATS,
    Unary,
    binary,
    define_broadcasting,
    define_unary,
    in_float32,
    into_float32,
    unary,
)
from ..common.jit_functions import EXP, SIGMOID, TANH

public = {
    "td, td.dtypes": "complex",
    "td, td.math": (
        "acos acosh angle asin asinh atan atan2 atanh conj cos cosh exp expm1 imag log log1p real "
        "rsqrt sin sinh sqrt tan xlog1py xlogy"
    ),
    "td, td.math, td.nn": "sigmoid tanh",
    "td.keras.activations": "exponential=exp sigmoid tanh",
}

_ANALYTIC = f"{FLOATS}, {COMPLEX}"


@in_float32
def _rsqrt(x: Array) -> Any:
    return np.reciprocal(np.sqrt(x))


@into_float32
def _sigmoid(x: Array, out: Array | None) -> Any:
    result = np.negative(x, out=np.empty(x.shape, x.dtype) if out is None else out)
    np.exp(result, out=result)
    np.add(result, 1, out=result)
    return np.divide(1, result, out=result)  # np.reciprocal takes twice as long


class Angle(Protocol):
    """The public function of `atan2`."""

    def __call__(self, y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
        """Adds the ops."""


def _analytic(
    name: str,
    op: str,
    function: Callable[..., Any],
    doc: str,
    example: tuple[str, str],
    of_sparse: bool = False,
    machine: str | None = None,
) -> Unary:
    """A row of the table of functions of floats and complex numbers."""
    return unary(name, op, function, _ANALYTIC, doc, example, of_sparse=of_sparse, machine=machine)


sqrt = _analytic("sqrt", "Sqrt", np.sqrt, "The square root.", ("[4.0, 2.25]", "[2.  1.5]"), True)
rsqrt = _analytic("rsqrt", "Rsqrt", _rsqrt, "1 over the square root.", ("[4.0, 0.25]", "[0.5 2. ]"))
exp = _analytic("exp", "Exp", np.exp, "e to the power of `x`.", ("[0.0]", "[1.]"), machine=EXP)
expm1 = _analytic(
    "expm1",
    "Expm1",
    np.expm1,
    "`exp(x) - 1`, accurate also where `x` is near 0.",
    ("[0.0, 1e-8]", "[0.e+00 1.e-08]"),
)
log = _analytic("log", "Log", np.log, "The natural logarithm.", ("[1.0]", "[0.]"))
log1p = _analytic(
    "log1p",
    "Log1p",
    np.log1p,
    "`log(1 + x)`, accurate also where `x` is near 0.",
    ("[0.0, 1e-8]", "[0.e+00 1.e-08]"),
)
sin = _analytic("sin", "Sin", np.sin, "The sine of an angle in radians.", ("[0.0]", "[0.]"))
cos = _analytic("cos", "Cos", np.cos, "The cosine of an angle in radians.", ("[0.0]", "[1.]"))
tan = _analytic("tan", "Tan", np.tan, "The tangent of an angle in radians.", ("[0.0]", "[0.]"))
asin = _analytic(
    "asin", "Asin", np.arcsin, "The angle whose sine is `x`.", ("[1.0]", "[1.5707964]")
)
acos = _analytic("acos", "Acos", np.arccos, "The angle whose cosine is `x`.", ("[1.0]", "[0.]"))
atan = _analytic("atan", "Atan", np.arctan, "The angle whose tangent is `x`.", ("[0.0]", "[0.]"))
sinh = _analytic("sinh", "Sinh", np.sinh, "The hyperbolic sine.", ("[0.0]", "[0.]"))
cosh = _analytic("cosh", "Cosh", np.cosh, "The hyperbolic cosine.", ("[0.0]", "[1.]"))
tanh = _analytic(
    "tanh", "Tanh", np.tanh, "The hyperbolic tangent.", ("[0.0, 100.0]", "[0. 1.]"), True, TANH
)
asinh = _analytic(
    "asinh", "Asinh", np.arcsinh, "The number whose hyperbolic sine is `x`.", ("[0.0]", "[0.]")
)
acosh = _analytic(
    "acosh", "Acosh", np.arccosh, "The number whose hyperbolic cosine is `x`.", ("[1.0]", "[0.]")
)
atanh = _analytic(
    "atanh", "Atanh", np.arctanh, "The number whose hyperbolic tangent is `x`.", ("[0.0]", "[0.]")
)
sigmoid = _analytic(
    "sigmoid",
    "Sigmoid",
    _sigmoid,
    "`1 / (1 + exp(-x))`.",
    ("[0.0, 100.0]", "[0.5 1. ]"),
    machine=SIGMOID,
)
atan2 = cast(
    "Angle",
    binary(
        "atan2",
        "Atan2",
        np.arctan2,
        FLOATS,
        "The angle of the point `(x, y)`, between -pi and pi.",
        ("[1.0, 0.0], [0.0, 1.0]", "[1.5707964 0.       ]"),
        args=("y", "x"),
    ),
)


def _zero_where_x_is(function: Callable[[Array], Any]) -> Callable[[Array, Array], Any]:
    @in_float32
    def times(x: Array, y: Array) -> Any:
        return np.where(x == 0, x.dtype.type(0), x * function(y))

    return times


xlogy = binary(
    "xlogy",
    "Xlogy",
    _zero_where_x_is(np.log),
    _ANALYTIC,
    "`x * log(y)`, and 0 where `x` is 0, whatever `y` is.",
    ("[1.0, 0.0], [1.0, 0.0]", "[0. 0.]"),
)
xlog1py = binary(
    "xlog1py",
    "Xlog1py",
    _zero_where_x_is(np.log1p),
    _ANALYTIC,
    "`x * log(1 + y)`, and 0 where `x` is 0, whatever `y` is.",
    ("[1.0, 0.0], [0.0, -1.0]", "[0. 0.]"),
)


_PART = "T: {complex64, complex128} = complex64, Tout: {float32, float64} = float32"
REAL = OpDef("Real", "input: T -> output: Tout", _PART, traits=Elementwise())
IMAG = OpDef("Imag", "input: T -> output: Tout", _PART, traits=Elementwise())
ANGLE = OpDef("Angle", "input: T -> output: Tout", _PART, traits=Elementwise())
CONJ = OpDef(
    "Conj",
    "input: T -> output: T",
    "T: {complex64, complex128, variant} = complex64",
    traits=Elementwise(),
)
COMPLEX_OF = OpDef(
    "Complex",
    "real: T, imag: T -> out: Tout",
    "T: {float32, float64} = float32, Tout: {complex64, complex128} = complex64",
    traits=Elementwise(),
)


def _complex(real: Array, imag: Array) -> Any:
    parts = np.broadcast_arrays(real, imag)
    result = np.empty(parts[0].shape, np.result_type(real, np.complex64))
    result.real, result.imag = parts
    return result


for _definition, _function in ((REAL, view(np.real)), (IMAG, view(np.imag)), (ANGLE, np.angle)):
    define_unary(_definition, _function, None, "input")
define_unary(CONJ, np.conjugate, None, "input")
define_broadcasting(COMPLEX_OF, _complex, None, ("real", "imag"))


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part of complex numbers; other numbers as they are.

    Args:
        input: a tensor of numbers.
        name: a name for the op.

    Returns:
        A Tensor of the shape of `input`, float32 or float64 for complex numbers.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.real([3 + 4j])))
        [3.]
    """
    tensor = convert_to_tensor(input)
    if not tensor.dtype.is_complex:
        return tensor
    return REAL(tensor, Tout=tensor.dtype.real_dtype, name=name)


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part of complex numbers.

    Args:
        input: a tensor of complex numbers.
        name: a name for the op.

    Returns:
        A Tensor of the shape of `input`, float32 or float64.

    Raises:
        TypeError: `input` is not complex.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.imag([3 + 4j])))
        [4.]
    """
    input = convert_to_tensor(input)
    return IMAG(input, Tout=input.dtype.real_dtype, name=name)


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The angle in radians between complex numbers and the positive real axis.

    Args:
        input: a tensor of complex numbers.
        name: a name for the op.

    Returns:
        A Tensor of the shape of `input`, float32 or float64.

    Raises:
        TypeError: `input` is not complex.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.angle([2j])))
        [1.57079633]
    """
    input = convert_to_tensor(input)
    return ANGLE(input, Tout=input.dtype.real_dtype, name=name)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers with the sign of the imaginary part turned; other numbers as they are.

    Args:
        x: a tensor of numbers.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `x`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.conj([3 + 4j])))
        [3.-4.j]
    """
    x = convert_to_tensor(x)
    return CONJ(x, name=name) if x.dtype.is_complex else x


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts.

    Args:
        real: a tensor of float32 or float64.
        imag: a tensor of the same dtype; the two are broadcast together.
        name: a name for the op.

    Returns:
        A Tensor of complex64 or complex128.

    Raises:
        TypeError: the dtypes differ, or are not float32 or float64.
        ValueError: the shapes do not broadcast together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.complex([1.0, 2.0], 0.5)))
        [1.+0.5j 2.+0.5j]
    """
    real = convert_to_tensor(real, name="real")
    wide = "complex128" if real.dtype.base_dtype.name == "float64" else "complex64"
    return COMPLEX_OF(real, imag, Tout=wide, name=name)
