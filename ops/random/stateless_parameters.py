"""Random numbers by seeds from gamma, Poisson and binomial distributions.

Their `shape` is that of the result, which ends with the shape of the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, float32, int32
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import broadcast, shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..array.constants import zeros_like
from ..common.shared_docs import shared_docs
from ..math.arithmetic import add, maximum
from ..math.division import truediv
from .binomial import binomial
from .distributions import sizes_to_draw
from .gamma_and_poisson import gamma, poisson
from .philox import Philox
from .random_state import stream_of_key, stream_of_seeds
from .uniform_and_normal import shape_tensor

public = {"td.random": "stateless_binomial stateless_gamma stateless_poisson"}
_NUMBERS = "{half, float32, float64, int32, int64}"
_FLOATS = "{half, float32, float64}"
_SEEDS = "Tseed: {int32, int64} = int64"
GAMMA_V2 = OpDef(
    "StatelessRandomGammaV2",
    "shape: T, seed: Tseed, alpha: dtype -> output: dtype",
    f"dtype: {_FLOATS}, T: {{int32, int64}}, {_SEEDS}",
)
GAMMA_V3 = OpDef(
    "StatelessRandomGammaV3",
    "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype -> output: dtype",
    f"dtype: {_FLOATS}, shape_dtype: {{int32, int64}} = int32",
)
POISSON = OpDef(
    "StatelessRandomPoisson",
    "shape: T, seed: Tseed, lam: Rtype -> output: dtype",
    f"Rtype: {_NUMBERS}, dtype: {_NUMBERS}, T: {{int32, int64}}, {_SEEDS}",
)
BINOMIAL = OpDef(
    "StatelessRandomBinomial",
    "shape: S, seed: Tseed, counts: T, probs: T -> output: dtype",
    f"S: {{int32, int64}}, {_SEEDS}, T: {_NUMBERS} = float64, dtype: {_NUMBERS} = int64",
)


def shape_that_ends(c: ShapeContext, *parameters: str) -> TensorShape:
    """Shape argument of an op, if it may end with the broadcast shape of its parameters."""
    shape = shape_from_value(c, "shape")
    end = broadcast(*map(c.shape, parameters))
    if shape.rank is None or end.rank is None:
        return shape
    if shape.rank < end.rank or not shape[shape.rank - end.rank :].is_compatible_with(end):
        raise ValueError(f"shape must end with {end}, that of the parameters, got {shape}")
    return shape


def drawn_for_each(
    draw: Callable[..., Array],
    stream: Callable[[int, int], Philox],
    shape: Array,
    dtype: np.dtype[Any],
    parameters: tuple[Array, ...],
) -> Array:
    """Numbers of the parameters' distributions.

    Args:
        draw: from a stream and a vector of each parameter to that many numbers.
        stream: from how many numbers of each distribution, and of how many, to where they start.
        shape: of the result.
        dtype: of the result.
        parameters: which broadcast to the end of `shape`.

    Raises:
        ValueError: `shape` does not end with that of the parameters.
    """
    sizes = sizes_to_draw(shape, dtype)
    end = np.broadcast_shapes(*(item.shape for item in parameters))
    if sizes[len(sizes) - len(end) :] != end:
        raise ValueError(
            f"shape must end with {list(end)}, that of the parameters, got {list(sizes)}"
        )
    number = math.prod(sizes[: len(sizes) - len(end)])
    source = stream(number, math.prod(end))
    flat = [np.broadcast_to(item, end).reshape(-1) for item in parameters]
    each = [np.repeat(item, number) for item in flat]
    with np.errstate(invalid="ignore", over="ignore"):
        drawn = draw(source, *each).astype(dtype)
    return np.asarray(drawn.reshape(math.prod(end), number).T).reshape(sizes)


def _define(definition: OpDef, draw: Callable[..., Array], *parameters: str) -> None:
    """Registers the rules of an op that takes a shape, a seed or state, and parameters."""
    keyed = definition is GAMMA_V3

    @definition.shape
    def shape_of(c: ShapeContext) -> TensorShape:
        for name, rank in (("key", 1), ("counter", 1), ("alg", 0)) if keyed else (("seed", 1),):
            c.shape(name, rank=rank)
        return shape_that_ends(c, *parameters)

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype

        def stateless(shape: Array, *given: Array) -> Array:
            source = stream_of_key(*given[:3]) if keyed else stream_of_seeds(given[0])
            values = given[-len(parameters) :]
            return drawn_for_each(draw, lambda *_: source, shape, dtype, values)

        return fresh(stateless)


def _gamma(stream: Philox, alpha: Array) -> Array:
    return gamma(stream, alpha.astype(np.float64))


def _poisson(stream: Philox, rate: Array) -> Array:
    return poisson(stream, rate.astype(np.float64))


_define(GAMMA_V2, _gamma, "alpha")
_define(GAMMA_V3, _gamma, "alpha")
_define(POISSON, _poisson, "lam")
_define(BINOMIAL, binomial, "counts", "probs")

_documented = shared_docs(
    {
        "shape": "of the result, a vector of int32 or int64, which ends with the shape that the "
        "parameters have together.",
        "seed": "two integers of int32 or int64: the same ones give the same numbers.",
        "name": "a name for the op.",
    },
    raises="ValueError: `shape` does not end with the shape of the parameters.",
)


@_documented
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Random numbers from gamma distributions, determined by a seed.

    Args:
        alpha: the shape parameters, positive.
        beta: the rates, which broadcast with `alpha`; by default 1.
        dtype: half, float32 or float64.

    Returns:
        A Tensor of `shape`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.random.stateless_gamma([10, 2], [1, 2], [0.5, 1.5])).shape
        (10, 2)
    """
    with name_scope(name, "stateless_gamma", [shape, seed, alpha, beta]) as scope:
        dtype = as_dtype(dtype)
        sizes = shape_tensor(shape)
        alpha = convert_to_tensor(alpha, dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, dtype, name="beta")
        draws = GAMMA_V2(sizes, seed, add(alpha, zeros_like(beta)))
        return maximum(np.finfo(dtype.numpy_dtype).tiny, truediv(draws, beta), name=scope)


@_documented
def stateless_poisson(
    shape: Any, seed: Any, lam: TensorLike, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """Random numbers from Poisson distributions, determined by a seed.

    Args:
        lam: how often something happens on average.
        dtype: half, float32, float64, int32 or int64.

    Returns:
        A Tensor of `shape`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.random.stateless_poisson([10, 2], [1, 2], [0.5, 1.5])).shape
        (10, 2)
    """
    with name_scope(name, "stateless_poisson", [shape, seed, lam]) as scope:
        return POISSON(shape_tensor(shape), seed, lam, dtype=as_dtype(dtype), name=scope)


@_documented
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Random numbers from binomial distributions, determined by a seed.

    Args:
        counts: the numbers of attempts.
        probs: the probability of success of each attempt, of the dtype of `counts`; they
            broadcast.
        output_dtype: half, float32, float64, int32 or int64.

    Returns:
        A Tensor of `shape`: how many attempts succeed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.random.stateless_binomial([4], [1, 2], 10.0, 1.0)))
        [10 10 10 10]
    """
    with name_scope(name, "stateless_binomial", [shape, seed, counts, probs]) as scope:
        kind = as_dtype(output_dtype)
        return BINOMIAL(shape_tensor(shape), seed, counts, probs, dtype=kind, name=scope)
