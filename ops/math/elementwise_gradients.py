"""Ops that the gradients of elementwise functions are made of, as TensorFlow writes them.

There is no public function for these; graphs that TensorFlow differentiated hold them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import Fusion, KernelSpec, Memory
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.blockwise import block_by_block
from ..common.elementwise import COMPLEX, FLOATS, REALS, in_float32
from ..common.flops import flops_per_element
from ..common.select_elements import chosen

if TYPE_CHECKING:
    Gradient = Callable[[Array, Array], Any]

_FLOATS = "T: {half, bfloat16, float32, float64}"
_SCALE, _SCALE_ALPHA = 1.0507009873554805, 1.7580993408473766  # of Selu


def _define(
    op: str,
    arguments: str,
    attrs: str,
    gradient: Callable[[KernelContext], Gradient],
    expression: str | None = None,
) -> None:
    """Defines an op of two arguments of one shape, which is that of its result.

    Args:
        op: the op type.
        arguments: its signature.
        attrs: its attrs.
        gradient: from the context to what computes it.
        expression: as in `Fusion`.
    """
    definition = OpDef(op, arguments, attrs, traits=Traits(splits="...,...->..."))
    names = [spec.name for spec in definition.signature.inputs]
    flops_per_element(2, definition)

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        return c.merged(" and ".join(names), [c.shape(name) for name in names])

    @definition.fresh_kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        function = gradient(c)

        def gradient_of(x: Array, y: Array) -> Array:
            if x.shape != y.shape:
                c.merged(" and ".join(names), [TensorShape.of(x.shape), TensorShape.of(y.shape)])
            return np.asarray(function(x, y), dtype)

        return _of_elements(gradient_of, function, dtype, expression)


def _of_elements(
    call: Callable[[Array, Array], Array],
    function: Gradient,
    dtype: np.dtype[Any],
    expression: str | None,
) -> KernelSpec:
    """The kernel `call`, for which `function` serves where the arrays are of one shape."""
    by_element = dtype in (np.float32, np.float64)
    return KernelSpec(
        call,
        Memory.FRESH,
        fusion=Fusion(function, function is _slope_of_relu, True, expression)
        if by_element
        else Fusion(),
    )


def _slope_of_relu(g: Array, x: Array, out: Array | None = None) -> Any:
    return np.multiply(g, x > 0, out=out)


def _define_of_result(op: str, function: Gradient, expression: str | None) -> None:
    """Defines an op of a result and its gradient, which need only have as many elements."""
    definition = OpDef(
        op,
        "y: T, dy: T -> z: T",
        f"T: {{{FLOATS}, {COMPLEX}}}",
        traits=Traits(splits="...,...->..."),
    )
    flops_per_element(4 if op == "RsqrtGrad" else 2, definition)

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        return c.shape("y")

    @definition.fresh_kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        computed = block_by_block(in_float32(function))

        def gradient(y: Array, dy: Array) -> Array:
            if y.size != dy.size:
                shapes = f"{list(y.shape)} and {list(dy.shape)}"
                raise ValueError(f"y and dy must have as many elements, got shapes {shapes}")
            return np.asarray(computed(y, dy.reshape(y.shape)), dtype)

        return _of_elements(gradient, computed, dtype, expression)


def _of(function: Gradient) -> Callable[[KernelContext], Gradient]:
    return lambda _: block_by_block(in_float32(function))


def _leaky(c: KernelContext) -> Gradient:
    alpha = c.attr("alpha")
    return block_by_block(in_float32(lambda g, x: chosen(x > 0, g, g * g.dtype.type(alpha))))


_OF_RESULTS: tuple[tuple[str, Gradient, str], ...] = (
    ("SigmoidGrad", lambda y, dy: dy * y * (1 - y), "{1} * {0} * ({t}(1) - {0})"),
    ("TanhGrad", lambda y, dy: dy * (1 - y * y), "{1} * ({t}(1) - {0} * {0})"),
    ("InvGrad", lambda y, dy: np.conjugate(-y * y) * dy, "-{0} * {0} * {1}"),
    ("ReciprocalGrad", lambda y, dy: np.conjugate(-y * y) * dy, "-{0} * {0} * {1}"),
    ("SqrtGrad", lambda y, dy: dy / np.conjugate(y + y), "{1} / ({0} + {0})"),
    (
        "RsqrtGrad",
        lambda y, dy: dy * np.conjugate(y * y * y) / -2,
        "{1} * ({0} * {0} * {0}) / {t}(-2)",
    ),
)
for _row in _OF_RESULTS:
    _define_of_result(*_row)
_OF_ARGUMENTS: tuple[tuple[str, str, Any], ...] = (
    ("SoftplusGrad", "features", lambda g, x: g / (np.exp(-x) + 1)),
    ("SoftsignGrad", "features", lambda g, x: g / np.square(1 + np.absolute(x))),
    ("EluGrad", "outputs", lambda g, y: chosen(y < 0, (y + 1) * g, g)),
    ("SeluGrad", "outputs", lambda g, y: chosen(y < 0, (y + _SCALE_ALPHA) * g, g * _SCALE)),
)
for _op, _second, _function in _OF_ARGUMENTS:
    _define(_op, f"gradients: T, {_second}: T -> backprops: T", _FLOATS, _of(_function))
_BACKPROPS = "gradients: T, features: T -> backprops: T"
_define(
    "ReluGrad",
    _BACKPROPS,
    f"T: {{{REALS}}}",
    lambda _: _slope_of_relu,
    "{0} * ({t}(1) if {1} > {t}(0) else {t}(0))",
)
_define("Relu6Grad", _BACKPROPS, f"T: {{{REALS}}}", lambda _: lambda g, x: g * ((x > 0) & (x < 6)))
_define(
    "LeakyReluGrad",
    _BACKPROPS,
    "alpha: float = 0.20000000298023224, T: {half, bfloat16, float32, float64} = float32",
    _leaky,
)
