"""Matrix products of ONNX."""

from __future__ import annotations

from collections import Counter

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import scaled
from .nodes import apply, cast, expand, rank_of, reshape, squeeze, wide
from .tensors import MalformedError


def product(a: Tensor, b: Tensor) -> Tensor:
    """A product of matrices, or of stacks of them, or with vectors."""
    ranks = rank_of(a), rank_of(b)
    if 0 in ranks:
        raise MalformedError("it multiplies matrices, and got a scalar")
    if ranks == (2, 2):
        return wide("MatMul", a, b)
    left = expand(a, [0]) if ranks[0] == 1 else a
    right = expand(b, [1]) if ranks[1] == 1 else b
    result = wide("BatchMatMulV2", left, right)
    if 1 not in ranks:
        return result
    return squeeze(result, [axis for axis, rank in zip((-2, -1), ranks, strict=True) if rank == 1])


def _mat_mul(c: Call) -> Tensor:
    return product(c[0], c[1])


def _gemm(c: Call) -> Tensor:
    a, b = c[0], c[1]
    alpha, beta = c.float("alpha", 1.0), c.float("beta", 1.0)
    sides = {"transpose_a": bool(c.int("transA", 0)), "transpose_b": bool(c.int("transB", 0))}
    result = wide("MatMul", a, b, **sides)
    if alpha != 1:
        result = scaled(result, alpha)
    if c.has(2) and beta != 0:
        addend = c[2] if beta == 1 else scaled(c[2], beta)
        result = wide("AddV2", result, addend)
    return result


def _einsum(c: Call) -> Tensor:
    equation = c.text("equation").replace(" ", "")
    if "->" not in equation:
        counts = Counter(x for x in equation.replace("...", "") if x.isalpha())
        free = "".join(sorted(x for x, count in counts.items() if count == 1))
        equation = f"{equation}->{'...' if '...' in equation else ''}{free}"
    inputs = c.all()
    parts = equation.partition("->")[0].split(",")
    if len(inputs) > 2:
        return _einsum_of_many(inputs, parts, equation.partition("->")[2])
    return apply("Einsum", inputs, equation=equation)


def _einsum_of_many(inputs: list[Tensor], parts: list[str], output: str) -> Tensor:
    """A sum of products of more than two tensors, two by two."""
    result, letters = inputs[0], parts[0]
    for place in range(1, len(inputs)):
        later = set("".join(parts[place + 1 :]) + output)
        kept = "".join(x for x in dict.fromkeys(letters + parts[place]) if x in later and x != ".")
        last = place == len(inputs) - 1
        target = output if last else kept
        equation = f"{letters},{parts[place]}->{target}"
        result = apply("Einsum", [result, inputs[place]], equation=equation)
        letters = target
    return result


def _det(c: Call) -> Tensor:
    return wide("MatrixDeterminant", c[0])


def less_zero_point(x: Tensor, c: Call, index: int, axis: int | None) -> Tensor:
    """Integers less their zero point, which is a number or one for each index of an axis."""
    x = cast(x, dtypes.int32)
    if not c.has(index):
        return x
    zero = cast(c[index], dtypes.int32)
    if zero.shape.ndims == 1 and axis is not None and zero.shape.as_list() != [1]:
        zero = expand(zero, [1]) if axis == -2 else zero
    elif zero.shape.ndims == 1:
        zero = reshape(zero, [])
    return apply("Sub", x, zero)


def _mat_mul_integer(c: Call) -> Tensor:
    a = less_zero_point(c[0], c, 2, -2)
    b = less_zero_point(c[1], c, 3, -1)
    return product(a, b)


RULES: dict[str, Rule] = {
    "Det": _det,
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _mat_mul,
    "MatMulInteger": _mat_mul_integer,
}
