"""Random numbers from the gamma and the Poisson distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, float32
from ...shape_inference.rules import shape_from_value, sizes_of
from ...shape_inference.traits import STATEFUL
from ..array.broadcasting import broadcast_to
from ..array.shapes import shape as shape_of
from ..kit.allocation import check_size
from ..math.arithmetic import add, maximum
from ..math.division import truediv
from .random_state import generator_of, seed_attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.tensor_shape import TensorShape

public = {
    "td": "random_gamma random_poisson",
    "td.random": "gamma=random_gamma poisson=random_poisson",
}

_SEEDS = "seed: int = 0, seed2: int = 0, S: {int32, int64}"
_NUMBERS = "{half, float32, float64, int32, int64}"
RANDOM_GAMMA = OpDef(
    "RandomGamma",
    "shape: S, alpha: T -> output: T",
    f"{_SEEDS}, T: {{half, float32, float64}}",
    traits=STATEFUL,
)
RANDOM_POISSON_V2 = OpDef(
    "RandomPoissonV2",
    "shape: S, rate: R -> output: dtype",
    f"{_SEEDS}, R: {_NUMBERS} = float64, dtype: {_NUMBERS} = int64",
    traits=STATEFUL,
)
_MOST_EXPECTED = 2.0**62  # NumPy draws int64


def _define(
    definition: OpDef, parameter: str, draw: Callable[[np.random.Generator, Array, Any], Any]
) -> None:
    """Hangs the rules on an op that draws `shape` numbers for each element of `parameter`."""

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        return shape_from_value(c, "shape") + c.shape(parameter)

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        generator = generator_of(c)

        def random(shape: Array, parameters: Array) -> Array:
            if shape.ndim != 1:
                raise ValueError(f"shape must have rank 1, got {list(shape.shape)}")
            counts = [int(size or 0) for size in sizes_of(shape, "shape")]
            sizes = check_size([*counts, *parameters.shape], dtype)
            return np.asarray(draw(generator, parameters.astype(np.float64), sizes), dtype)

        return random


def _gamma(generator: np.random.Generator, alpha: Array, sizes: tuple[int, ...]) -> Any:
    # Where alpha is negative TensorFlow's draws mean nothing.
    draws = generator.standard_gamma(np.maximum(alpha, 0), sizes)
    return np.where(alpha >= 0, draws, np.nan)


def _poisson(generator: np.random.Generator, rate: Array, sizes: tuple[int, ...]) -> Any:
    legal = (rate >= 0) & (rate < _MOST_EXPECTED)
    draws = generator.poisson(np.where(legal, rate, 0), sizes)
    return np.where(legal, draws.astype(np.float64), np.nan)


_define(RANDOM_GAMMA, "alpha", _gamma)
_define(RANDOM_POISSON_V2, "rate", _poisson)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers from gamma distributions.

    Args:
        shape: how many to draw from each distribution, a vector of int32 or int64.
        alpha: the shape parameters, positive.
        beta: the rates, which broadcast with `alpha`; by default 1.
        dtype: half, float32 or float64.
        seed: a seed, for the same numbers in each session; see also `td.set_random_seed`.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape `shape`, followed by that of `alpha + beta`, with other values at
        every run. They are not those that TensorFlow draws with the same seed.

    Raises:
        TypeError: `dtype` is another one.
        ValueError: a size is negative.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.random_gamma([10], [0.5, 1.5])).shape
        (10, 2)
    """
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        dtype = as_dtype(dtype)
        counts = convert_to_tensor(shape, "int32" if isinstance(shape, (list, tuple)) else None)
        alpha = convert_to_tensor(alpha, dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, dtype, name="beta")
        alpha = broadcast_to(alpha, shape_of(add(alpha, beta)))
        draws = RANDOM_GAMMA(counts, alpha, **seed_attrs(seed))
        return maximum(np.finfo(dtype.numpy_dtype).tiny, truediv(draws, beta))


def random_poisson(
    lam: Any,
    shape: Any,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers from Poisson distributions: how often something happens.

    Args:
        lam: how often it happens on average.
        shape: how many to draw from each distribution, a vector of int32 or int64.
        dtype: half, float32, float64, int32 or int64.
        seed: a seed, for the same numbers in each session; see also `td.set_random_seed`.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape `shape`, followed by that of `lam`, with other values at every run.
        They are not those that TensorFlow draws with the same seed.

    Raises:
        TypeError: `dtype` is another one.
        ValueError: a size is negative.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.random_poisson([0.5, 1.5], [10])).shape
        (10, 2)
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        counts = convert_to_tensor(shape, "int32" if isinstance(shape, (list, tuple)) else None)
        return RANDOM_POISSON_V2(counts, lam, dtype=as_dtype(dtype), **seed_attrs(seed))
