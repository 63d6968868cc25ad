"""Gradients of `ops/linalg`: products of matrices."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.broadcast import BROADCAST_GRADIENT_ARGS
from ...ops.array.cast import cast
from ...ops.array.reshape import reshape
from ...ops.array.shapes import shape
from ...ops.linalg.cross_products import cross
from ...ops.linalg.matmul import matmul
from ...ops.math.complex_numbers import conj
from ...ops.math.reductions import reduce_sum
from ...shape_inference.tensor_shape import TensorShape
from ..common.rule_tables import gradient_of
from ..common.static_facts import known_equal


@gradient_of("MatMul")
def _matmul(op: Operation, gradient: Tensor) -> Any:
    return _products(op, gradient, *op.inputs)


def _products(op: Operation, gradient: Tensor, a: Tensor, b: Tensor) -> Any:
    """Functions that make the gradients of the operands."""
    turned = op.get_attr("transpose_a"), op.get_attr("transpose_b")

    def product(x: Tensor, y: Tensor, transpose_x: bool, transpose_y: bool) -> Tensor:
        return matmul(x, y, transpose_a=transpose_x, transpose_b=transpose_y)

    def for_a() -> Tensor:
        other = conj(b)
        if turned[0]:
            return product(other, gradient, turned[1], True)
        return product(gradient, other, False, not turned[1])

    def for_b() -> Tensor:
        other = conj(a)
        if turned[1]:
            return product(gradient, other, True, turned[0])
        return product(other, gradient, not turned[0], False)

    return for_a, for_b


@gradient_of("SparseMatMul")
def _sparse_matmul(op: Operation, gradient: Tensor) -> list[Any]:
    """As of MatMul, in float32: each operand may be of bfloat16."""
    a, b = op.inputs
    wide = [cast(x, gradient.dtype.base_dtype) for x in (a, b)]
    both = _products(op, gradient, *wide)
    return [
        lambda x=x, product=product: cast(product(), x.dtype.base_dtype)
        for x, product in zip((a, b), both, strict=True)
    ]


@gradient_of("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(op: Operation, gradient: Tensor) -> Any:
    x, y = op.inputs
    turned = op.get_attr("adj_x"), op.get_attr("adj_y")

    def product(a: Tensor, b: Tensor, adjoint_a: bool, adjoint_b: bool) -> Tensor:
        return matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)

    def for_x() -> Tensor:
        if turned[0]:
            return product(y, gradient, turned[1], True)
        return product(gradient, y, False, not turned[1])

    def for_y() -> Tensor:
        if turned[1]:
            return product(gradient, x, True, turned[0])
        return product(x, gradient, not turned[0], False)

    return (
        lambda: summed_to_batch(for_x(), x, y, op.outputs[0]),
        lambda: summed_to_batch(for_y(), y, x, op.outputs[0]),
    )


def summed_to_batch(gradient: Tensor, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    """The gradient of `x`, summed over the matrices that it was broadcast to."""
    own, result = x.shape.sizes, z.shape.sizes
    if own is not None and result is not None:
        batch, whole = TensorShape.of(own[:-2]), TensorShape.of(result[:-2])
        if known_equal(batch, whole):
            return gradient
    sizes = shape(x)
    axes = BROADCAST_GRADIENT_ARGS(sizes[:-2], shape(y)[:-2])[0]
    return reshape(reduce_sum(gradient, axes), sizes)


@gradient_of("Cross")
def _cross(op: Operation, gradient: Tensor) -> Any:
    a, b = op.inputs
    return lambda: cross(b, gradient), lambda: cross(gradient, a)
