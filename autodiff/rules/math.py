"""Gradients of the elementwise functions in `ops/math`.

A complex gradient is multiplied by the conjugate of the derivative, as in TensorFlow. Where that
has an op type for a gradient, such as `TanhGrad`, this is made of it, too.
"""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.constants import zeros_like
from ...ops.math.arithmetic import add, multiply, negative, pow, reciprocal, sign, square, subtract
from ...ops.math.comparison import greater, greater_equal, less_equal, not_equal
from ...ops.math.complex_numbers import complex, conj, imag, real
from ...ops.math.division import div, div_no_nan, floordiv, multiply_no_nan, truediv, xdivy
from ...ops.math.exponentials import exp, log, sqrt, xlog1py, xlogy
from ...ops.math.trigonometry import cos, cosh, sin, sinh
from ...ops.math.where import where_v2
from ..common.rule_tables import binary, gradient_of, not_differentiable, raw, unary
from ..common.static_facts import constant_like, times


def masked(condition: Tensor, gradient: Tensor) -> Tensor:
    """`gradient` where `condition` holds, and 0 elsewhere."""
    return where_v2(condition, gradient, constant_like(0, gradient))


def _of(value: float, x: Tensor) -> Tensor:
    return constant_like(value, x)


def _one_less_square(x: Tensor) -> Tensor:
    return subtract(_of(1, x), square(conj(x)))


unary(
    {
        "Abs": lambda g, x, y: times(g, sign(x)),
        "Acos": lambda g, x, y: negative(times(g, reciprocal(sqrt(_one_less_square(x))))),
        "Acosh": lambda g, x, y: truediv(g, sinh(conj(y))),
        "Asin": lambda g, x, y: times(g, reciprocal(sqrt(_one_less_square(x)))),
        "Asinh": lambda g, x, y: truediv(g, cosh(conj(y))),
        "Atan": lambda g, x, y: times(g, reciprocal(add(_of(1, x), square(conj(x))))),
        "Atanh": lambda g, x, y: times(g, reciprocal(_one_less_square(x))),
        "Conj": lambda g, x, y: conj(g),
        "Cos": lambda g, x, y: times(negative(g), sin(conj(x))),
        "Cosh": lambda g, x, y: times(g, sinh(conj(x))),
        "Exp": lambda g, x, y: times(g, conj(y)),
        "Expm1": lambda g, x, y: times(g, exp(conj(x))),
        "Imag": lambda g, x, y: complex(_of(0, g), g),
        "Inv": lambda g, x, y: raw("ReciprocalGrad")(y, g),
        "Log": lambda g, x, y: times(g, reciprocal(conj(x))),
        "Log1p": lambda g, x, y: times(g, reciprocal(add(_of(1, x), conj(x)))),
        "Neg": lambda g, x, y: negative(g),
        "Real": lambda g, x, y: complex(g, _of(0, g)),
        "Reciprocal": lambda g, x, y: raw("ReciprocalGrad")(y, g),
        "Rsqrt": lambda g, x, y: raw("RsqrtGrad")(y, g),
        "Sigmoid": lambda g, x, y: raw("SigmoidGrad")(conj(y), g),
        "Sign": lambda g, x, y: zeros_like(x),
        "Sin": lambda g, x, y: times(g, cos(conj(x))),
        "Sinh": lambda g, x, y: times(g, cosh(conj(x))),
        "Sqrt": lambda g, x, y: raw("SqrtGrad")(y, g),
        "Square": lambda g, x, y: times(g, multiply(conj(x), _of(2, x))),
        "Tan": lambda g, x, y: times(square(reciprocal(cos(conj(x)))), g),
        "Tanh": lambda g, x, y: raw("TanhGrad")(conj(y), g),
    }
)
# Steps: what is no longer a number of its own where they are flat has no gradient at all.
not_differentiable("Ceil", "Floor", "Rint", "Round", "FloorDiv", "TruncateDiv")


def _power(g: Tensor, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    return times(g, conj(multiply(y, pow(x, subtract(y, _of(1, y))))))


def _exponent(g: Tensor, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    """0 where `x` has no logarithm, as TensorFlow takes it."""
    x = conj(x)
    fine = not_equal(x, _of(0, x)) if x.dtype.is_complex else greater(x, _of(0, x))
    logarithm = masked(fine, log(where_v2(fine, x, _of(1, x))))
    return multiply(times(g, conj(z)), logarithm)


def _divisor(g: Tensor, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    return times(g, conj(truediv(truediv(negative(x), y), y)))


def _present(x: Tensor) -> Tensor:
    return cast(not_equal(x, _of(0, x)), x.dtype.base_dtype)


def _modulus(g: Tensor, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    return times(g, negative(raw("TruncateDiv")(x, y)))


def _over_squares(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return truediv(g, add(square(x), square(y)))


def _twice_difference(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return multiply(multiply(_of(2, g), g), subtract(x, y))


binary(
    {
        "Add": (lambda g, x, y, z: g, lambda g, x, y, z: g),
        "AddV2": (lambda g, x, y, z: g, lambda g, x, y, z: g),
        "Atan2": (  # of y and x
            lambda g, y, x, z: multiply(x, _over_squares(g, y, x)),
            lambda g, y, x, z: multiply(negative(y), _over_squares(g, y, x)),
        ),
        "Complex": (lambda g, x, y, z: real(g), lambda g, x, y, z: imag(g)),
        "Div": (lambda g, x, y, z: div(g, conj(y)), _divisor),
        "DivNoNan": (
            lambda g, x, y, z: div_no_nan(g, conj(y)),
            lambda g, x, y, z: multiply(g, conj(div_no_nan(div_no_nan(negative(x), y), y))),
        ),
        "FloorMod": (
            lambda g, x, y, z: g,
            lambda g, x, y, z: times(g, negative(floordiv(x, y))),
        ),
        "Maximum": (
            lambda g, x, y, z: masked(greater_equal(x, y), g),
            lambda g, x, y, z: _unless(greater_equal(x, y), g),
        ),
        "Minimum": (
            lambda g, x, y, z: masked(less_equal(x, y), g),
            lambda g, x, y, z: _unless(less_equal(x, y), g),
        ),
        "Mul": (lambda g, x, y, z: times(g, conj(y)), lambda g, x, y, z: times(conj(x), g)),
        "MulNoNan": (
            lambda g, x, y, z: multiply_no_nan(g, y),
            lambda g, x, y, z: multiply_no_nan(x, g),
        ),
        "NextAfter": (lambda g, x, y, z: g, lambda g, x, y, z: zeros_like(g)),
        "Pow": (_power, _exponent),
        "RealDiv": (lambda g, x, y, z: truediv(g, conj(y)), _divisor),
        "SquaredDifference": (
            lambda g, x, y, z: _twice_difference(g, x, y),
            lambda g, x, y, z: negative(_twice_difference(g, x, y)),
        ),
        "Sub": (lambda g, x, y, z: g, lambda g, x, y, z: negative(g)),
        "Mod": (lambda g, x, y, z: g, _modulus),
        "TruncateMod": (lambda g, x, y, z: g, _modulus),
        "Xdivy": (
            lambda g, x, y, z: times(xdivy(_present(x), y), g),
            lambda g, x, y, z: times(xdivy(negative(x), square(y)), g),
        ),
        "Xlog1py": (
            lambda g, x, y, z: times(xlog1py(_present(x), y), g),
            lambda g, x, y, z: times(xdivy(x, add(y, _of(1, y))), g),
        ),
        "Xlogy": (
            lambda g, x, y, z: times(xlogy(_present(x), y), g),
            lambda g, x, y, z: times(xdivy(x, y), g),
        ),
    }
)


def _unless(condition: Tensor, gradient: Tensor) -> Tensor:
    return where_v2(condition, constant_like(0, gradient), gradient)


@gradient_of("Angle")
def _angle(op: Operation, gradient: Tensor) -> Tensor:
    x = op.inputs[0]
    return multiply(
        negative(complex(gradient, _of(0, gradient))), reciprocal(complex(imag(x), real(x)))
    )


@gradient_of("ComplexAbs")
def _complex_abs(op: Operation, gradient: Tensor) -> Tensor:
    zero = _of(0, gradient)
    size = complex(op.outputs[0], zero)
    return div_no_nan(multiply(complex(gradient, zero), op.inputs[0]), size)


# The second order: each op of a result y and a gradient g gives g times something.


@gradient_of("InvGrad", "ReciprocalGrad")
def _reciprocal_grad(op: Operation, gradient: Tensor) -> Any:
    y, given = conj(op.inputs[0]), op.inputs[1]
    return (
        lambda: multiply(multiply(multiply(conj(gradient), _of(-2, y)), given), y),
        lambda: raw("ReciprocalGrad")(y, gradient),
    )


@gradient_of("RsqrtGrad")
def _rsqrt_grad(op: Operation, gradient: Tensor) -> Any:
    y, given = conj(op.inputs[0]), op.inputs[1]
    return (
        lambda: multiply(multiply(multiply(_of(-1.5, y), conj(gradient)), given), square(y)),
        lambda: raw("RsqrtGrad")(y, gradient),
    )


@gradient_of("SqrtGrad")
def _sqrt_grad(op: Operation, gradient: Tensor) -> Any:
    quotient = truediv(gradient, op.inputs[0])
    return (
        lambda: multiply(negative(conj(quotient)), op.outputs[0]),
        lambda: multiply(_of(0.5, quotient), quotient),
    )


@gradient_of("SigmoidGrad")
def _sigmoid_grad(op: Operation, gradient: Tensor) -> Any:
    y, given = map(conj, op.inputs)

    def for_y() -> Tensor:
        both = times(gradient, given)
        return subtract(both, multiply(multiply(_of(2, both), both), y))

    return for_y, lambda: raw("SigmoidGrad")(y, gradient)


@gradient_of("TanhGrad")
def _tanh_grad(op: Operation, gradient: Tensor) -> Any:
    y, given = map(conj, op.inputs)
    return (
        lambda: multiply(multiply(multiply(gradient, _of(-2, y)), given), y),
        lambda: raw("TanhGrad")(y, gradient),
    )
