"""Gradients of `ops/linalg`: determinants, inverses, systems of equations, Einstein sums.

`A^H` is the adjoint of A: its transpose, with complex numbers conjugated.
"""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import ones, zeros_like
from ...ops.array.diag import matrix_diag_part, matrix_set_diag
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import expand_dims, reshape, squeeze
from ...ops.array.shapes import rank, shape
from ...ops.array.stack import stack
from ...ops.linalg.cholesky import cholesky
from ...ops.linalg.determinants_and_inverses import matrix_inverse
from ...ops.linalg.einsum import EINSUM
from ...ops.linalg.matmul import matmul
from ...ops.linalg.matrix_functions import adjoint
from ...ops.linalg.solve import MATRIX_TRIANGULAR_SOLVE, cholesky_solve, matrix_solve
from ...ops.math.complex_numbers import conj
from ...ops.math.reductions import reduce_sum
from ..common.rule_tables import gradient_of, raw, undefined
from ..common.static_facts import constant_like, summed_to, times
from .linalg import summed_to_batch


def half(x: Tensor) -> Tensor:
    """`x / 2`."""
    return x * constant_like(0.5, x)


def matrix_sizes(x: Tensor) -> list[int | None]:
    """The numbers of rows and columns, as far as they are known before a run."""
    return x.shape.as_list()[-2:] if x.shape.rank is not None else [None, None]


def band(x: Tensor, lower: int, upper: int) -> Tensor:
    """`x` with zeros outside of a band; -1 keeps the whole side."""
    return raw("MatrixBandPart")(x, lower, upper)


def _scaled(factors: Tensor, matrices: Tensor) -> Tensor:
    """Each matrix times its number."""
    return expand_dims(expand_dims(factors, -1), -1) * matrices


@gradient_of("MatrixDeterminant", "BatchMatrixDeterminant")
def _determinant(op: Operation, gradient: Tensor) -> Tensor:
    factors = times(gradient, conj(op.outputs[0]))
    return _scaled(factors, matrix_inverse(op.inputs[0], adjoint=True))


@gradient_of("LogMatrixDeterminant")
def _log_determinant(op: Operation, _: Any, gradient: Tensor | None) -> Tensor | None:
    if gradient is None:
        return None
    return _scaled(gradient, matrix_inverse(op.inputs[0], adjoint=True))


@gradient_of("MatrixInverse", "BatchMatrixInverse")
def _inverse(op: Operation, gradient: Tensor) -> Tensor:
    """-A^-H G A^-H, or of the adjoint, of which the inverse is taken."""
    inverse, turned = op.outputs[0], op.get_attr("adjoint")
    right = matmul(gradient, inverse, adjoint_a=turned, adjoint_b=not turned)
    return -matmul(inverse, right, adjoint_a=not turned)


@gradient_of("Cholesky", "BatchCholesky")
def _cholesky(op: Operation, gradient: Tensor) -> Tensor:
    """L^-H F(L^H G) L^-1, made symmetric, where F takes the lower half, and half the diagonal."""
    lower = op.outputs[0]
    middle = matmul(lower, gradient, adjoint_a=True)
    middle = band(matrix_set_diag(middle, half(matrix_diag_part(middle))), -1, 0)
    left = MATRIX_TRIANGULAR_SOLVE(lower, middle, lower=True, adjoint=True)
    # What is on the right is solved as the adjoint from the left.
    whole = adjoint(MATRIX_TRIANGULAR_SOLVE(lower, adjoint(left), lower=True, adjoint=True))
    return half(whole + adjoint(whole))


def _of_solution(op: Operation, solved: Tensor) -> Tensor:
    """The gradient of the matrix, where `solved` is that of the right-hand side."""
    x = op.outputs[0]
    pair = (x, solved) if op.get_attr("adjoint") else (solved, x)
    return -matmul(*pair, adjoint_b=True)


@gradient_of("MatrixSolve", "BatchMatrixSolve")
def _solve(op: Operation, gradient: Tensor) -> Any:
    solved = matrix_solve(op.inputs[0], gradient, adjoint=not op.get_attr("adjoint"))
    return lambda: _of_solution(op, solved), solved


@gradient_of("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def _triangular_solve(op: Operation, gradient: Tensor) -> Any:
    a, b = op.inputs
    lower = op.get_attr("lower")
    solved = MATRIX_TRIANGULAR_SOLVE(a, gradient, lower=lower, adjoint=not op.get_attr("adjoint"))

    def for_a() -> Tensor:
        part = band(_of_solution(op, solved), *((-1, 0) if lower else (0, -1)))
        return summed_to_batch(part, a, b, op.outputs[0])

    return for_a, lambda: summed_to_batch(solved, b, a, op.outputs[0])


@gradient_of("MatrixSolveLs", "BatchMatrixSolveLs")
def _solve_least_squares(op: Operation, gradient: Tensor) -> Any:
    if not op.get_attr("fast"):
        raise LookupError(f"No gradient defined for {op.name!r}: MatrixSolveLs with fast=False")
    a, b, regularizer = op.inputs
    rows, columns = matrix_sizes(a)
    if rows is None or columns is None:
        raise LookupError(
            f"No gradient defined for {op.name!r}: which of rows and columns of its matrices are "
            f"more must be known, got shape {a.shape}"
        )
    tall = rows >= columns
    square = matmul(a, a, adjoint_a=tall, adjoint_b=not tall)
    diagonal = matrix_diag_part(square)
    chol = cholesky(matrix_set_diag(square, diagonal + cast(regularizer, a.dtype.base_dtype)))
    if tall:
        solved = cholesky_solve(chol, gradient)
        product = matmul(op.outputs[0], solved, adjoint_b=True)
        for_a = matmul(b, solved, adjoint_b=True) - matmul(a, product + adjoint(product))
        return for_a, matmul(a, solved), None
    solved = cholesky_solve(chol, matmul(a, gradient))
    right = cholesky_solve(chol, b)
    rest = gradient - matmul(a, solved, adjoint_a=True)
    for_a = matmul(right, rest, adjoint_b=True) - matmul(solved, matmul(right, a, adjoint_a=True))
    return for_a, solved, None


@gradient_of("Einsum")
def _einsum(op: Operation, gradient: Tensor) -> list[Any]:
    terms, result = op.get_attr("equation").decode().replace(" ", "").split("->")
    names = terms.split(",")
    return [lambda i=i: _einsum_operand(op, gradient, names, result, i) for i in range(len(names))]


def _einsum_operand(
    op: Operation, gradient: Tensor, names: list[str], result: str, place: int
) -> Tensor:
    """The product of the gradient and the other operands, summed over axes that this one lacks.

    An axis that only this operand has was summed over: the gradient is broadcast along it.
    """
    x, own = op.inputs[place], names[place]
    others = [
        (conj(tensor), name)
        for i, (tensor, name) in enumerate(zip(op.inputs, names, strict=True))
        if i != place
    ]
    known = set(result + "".join(name for _, name in others))
    summed = "".join(sorted(set(own) - known - {"."}))
    dots = "..." in own or "..." in result
    target = ("..." if dots else "") + own.replace("...", "")
    operands = [(gradient, result), *others]
    if summed:
        sizes = shape(x)
        along = stack([sizes[_axis(own, letter)] for letter in summed])
        operands.append((ones(along, x.dtype.base_dtype), summed))
    tensors, terms = zip(*operands, strict=True)
    total = EINSUM(list(tensors), equation=f"{','.join(terms)}->{target}")
    if not dots:
        return total
    if "..." not in own:
        return reduce_sum(total, arange(rank(total) - len(own)))
    if own.startswith("..."):
        return summed_to(total, x)
    moved = EINSUM([x], equation=f"{own}->{target}")
    return EINSUM([summed_to(total, moved)], equation=f"{target}->{own}")


def _axis(name: str, letter: str) -> int:
    before, dots, after = name.partition("...")
    if letter in before:
        return before.index(letter)
    return after.index(letter) - len(after) if dots else name.index(letter)


@gradient_of("TridiagonalSolve")
def _tridiagonal_solve(op: Operation, gradient: Tensor) -> Any:
    """Right-hand side: a solve with the adjoint matrix; diagonals: an outer product."""
    diagonals, x = op.inputs[0], op.outputs[0]
    above, main, below = (diagonals[..., i, :] for i in range(3))
    turned = stack([_shifted(below, -1), main, _shifted(above, 1)], -2)
    solved = raw("TridiagonalSolve")(
        conj(turned), gradient, partial_pivoting=op.get_attr("partial_pivoting")
    )

    def for_diagonals() -> Tensor:
        parts = [_summed(solved, _next_rows(x, i)) for i in (1, 0, -1)]
        return -stack(parts, -2)

    return for_diagonals, solved


@gradient_of("TridiagonalMatMul")
def _tridiagonal_matmul(op: Operation, gradient: Tensor) -> Any:
    above, main, below, rhs = op.inputs
    turned = [squeeze(x, [-2]) for x in (above, main, below)]

    def for_rhs() -> Tensor:
        rows = [_shifted(turned[2], -1), turned[1], _shifted(turned[0], 1)]
        return raw("TridiagonalMatMul")(*(expand_dims(conj(x), -2) for x in rows), gradient)

    def of_diagonal(offset: int) -> Any:
        return lambda: expand_dims(_summed(gradient, _next_rows(rhs, offset)), -2)

    return of_diagonal(1), of_diagonal(0), of_diagonal(-1), for_rhs


def _summed(x: Tensor, y: Tensor) -> Tensor:
    return reduce_sum(x * conj(y), -1)


def _shifted(x: Tensor, by: int) -> Tensor:
    """Rows moved along the last dimension, zeros behind them."""
    zeros = zeros_like(x[..., :1])
    return concat([zeros, x[..., :-1]] if by > 0 else [x[..., 1:], zeros], -1)


def _next_rows(x: Tensor, offset: int) -> Tensor:
    """For each row the one that comes so many places after it, zero where there is none."""
    if not offset:
        return x
    zeros = zeros_like(x[..., :1, :])
    return concat([x[..., 1:, :], zeros] if offset > 0 else [zeros, x[..., :-1, :]], -2)


@gradient_of("MatrixSquareRoot")
def _square_root(op: Operation, gradient: Tensor) -> Tensor:
    """Solves Sylvester's equation of the root, written as a system of all elements."""
    root = op.outputs[0]
    sizes = shape(root)
    side = sizes[-1]
    one = raw("MatrixDiag")(ones(sizes[:-1], root.dtype))

    def product(a: Tensor, b: Tensor) -> Tensor:
        """The Kronecker products of matrices."""
        made = EINSUM([a, b], equation="...ij,...kl->...ikjl")
        return reshape(made, concat([sizes[:-2], [side * side, side * side]], 0))

    system = product(adjoint(root), one) + product(one, conj(root))
    column = reshape(gradient, concat([sizes[:-2], [side * side, 1]], 0))
    return reshape(matrix_solve(system, column), sizes)


@gradient_of("MatrixExponential")
def _exponential(op: Operation, gradient: Tensor) -> Tensor:
    """Takes the derivative from the corner of the exponential of a block matrix."""
    turned = adjoint(op.inputs[0])
    rows = concat([turned, gradient], -1), concat([zeros_like(turned), turned], -1)
    side = shape(turned)[-1]
    return raw("MatrixExponential")(concat(rows, -2))[..., :side, side:]


undefined("TensorFlow has none either", "Lu", "MatrixLogarithm")
