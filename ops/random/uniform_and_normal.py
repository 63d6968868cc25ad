"""Random numbers: another draw at every run, and the same ones again for the same seeds.

The draws are those of NumPy's PCG64, not of TensorFlow's generators: a seed gives the same numbers
wherever and whenever a graph is run here, but not the numbers that TensorFlow would give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, float32
from ...shape_inference.rules import shape_from_value, sizes_of
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from ..kit.allocation import check_size
from ..math.arithmetic import add, multiply, subtract
from .random_state import generator_of, seed_attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel

    Draw = Callable[[np.random.Generator, tuple[int, ...], np.dtype[Any]], Any]

public = {
    "td": "random_normal random_shuffle random_uniform",
    "td, td.random": "truncated_normal",
    "td.random": "normal=random_normal shuffle=random_shuffle uniform=random_uniform",
}

_SEEDS = "seed: int = 0, seed2: int = 0"
_FLOATS = f"{_SEEDS}, dtype: {{half, bfloat16, float32, float64}}, T: {{int32, int64}}"
RANDOM_UNIFORM = OpDef("RandomUniform", "shape: T -> output: dtype", _FLOATS, traits=STATEFUL)
RANDOM_STANDARD_NORMAL = OpDef(
    "RandomStandardNormal", "shape: T -> output: dtype", _FLOATS, traits=STATEFUL
)
TRUNCATED_NORMAL = OpDef("TruncatedNormal", "shape: T -> output: dtype", _FLOATS, traits=STATEFUL)
RANDOM_UNIFORM_INT = OpDef(
    "RandomUniformInt",
    "shape: T, minval: Tout, maxval: Tout -> output: Tout",
    f"{_SEEDS}, Tout: {{int32, int64}}, T: {{int32, int64}}",
    traits=STATEFUL,
)
RANDOM_SHUFFLE = OpDef(
    "RandomShuffle", "value: T -> output: T", f"{_SEEDS}, T: type", traits=STATEFUL
)
# Small floats have so many bits behind the point; a number drawn in more could round up to 1.
_BITS = {"float16": 10, "bfloat16": 7}


@RANDOM_UNIFORM.shape
@RANDOM_STANDARD_NORMAL.shape
@TRUNCATED_NORMAL.shape
def _random_shape(c: ShapeContext) -> TensorShape:
    return shape_from_value(c, "shape")


def _drawing(draw: Draw) -> Callable[[KernelContext], Kernel]:
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        generator = generator_of(c)

        def random(shape: Array) -> Array:
            return np.asarray(draw(generator, _sizes(shape, dtype), dtype))

        return random

    return kernel


def _sizes(shape: Array, dtype: np.dtype[Any]) -> tuple[int, ...]:
    if shape.ndim != 1:
        raise ValueError(f"shape must have rank 1, got {list(shape.shape)}")
    return check_size([int(size or 0) for size in sizes_of(shape, "shape")], dtype)


def _uniform(generator: np.random.Generator, sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    bits = _BITS.get(dtype.name)
    if bits is None:
        return generator.random(sizes, dtype.type)
    draws = generator.integers(1 << bits, size=sizes)
    return (draws / np.float32(1 << bits)).astype(dtype)


def _normal(generator: np.random.Generator, sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    inner: Any = np.float32 if dtype.itemsize == 2 else dtype.type
    return np.asarray(generator.standard_normal(sizes, inner)).astype(dtype, copy=False)


def _truncated(generator: np.random.Generator, sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Normal draws, in which those beyond two standard deviations are drawn again."""
    draws = np.asarray(_normal(generator, sizes, dtype))
    flat = draws.reshape(-1)
    beyond = np.flatnonzero(np.absolute(flat) > 2)
    while beyond.size:
        flat[beyond] = _normal(generator, beyond.shape, dtype)
        beyond = beyond[np.absolute(flat[beyond]) > 2]
    return draws


RANDOM_UNIFORM.kernel(_drawing(_uniform))
RANDOM_STANDARD_NORMAL.kernel(_drawing(_normal))
TRUNCATED_NORMAL.kernel(_drawing(_truncated))


@RANDOM_UNIFORM_INT.shape
def _random_uniform_int_shape(c: ShapeContext) -> TensorShape:
    c.shape("minval", rank=0)
    c.shape("maxval", rank=0)
    return shape_from_value(c, "shape")


@RANDOM_UNIFORM_INT.kernel
def _random_uniform_int_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    generator = generator_of(c)

    def random_uniform_int(shape: Array, minval: Array, maxval: Array) -> Array:
        for name, bound in (("minval", minval), ("maxval", maxval)):
            if bound.ndim:
                raise ValueError(f"{name} must have rank 0, got shape {list(bound.shape)}")
        sizes = _sizes(shape, dtype)
        if 0 in sizes:
            return np.empty(sizes, dtype)
        if minval >= maxval:
            raise ValueError(f"minval must be less than maxval, got {minval} and {maxval}")
        return np.asarray(generator.integers(int(minval), int(maxval), sizes, dtype))

    return random_uniform_int


@RANDOM_SHUFFLE.shape
def _random_shuffle_shape(c: ShapeContext) -> TensorShape:
    return c.shape("value")


@RANDOM_SHUFFLE.kernel
def _random_shuffle_kernel(c: KernelContext) -> Kernel:
    generator = generator_of(c)

    def random_shuffle(value: Array) -> Array:
        return value[generator.permutation(len(value))] if value.ndim else value

    return random_shuffle


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers that are all equally likely, in [minval, maxval).

    Args:
        shape: the shape of the result, a vector of int32 or int64.
        minval: the least number.
        maxval: the number that all are less than; by default 1 for floats. Integers need it.
        dtype: half, bfloat16, float32, float64, int32 or int64.
        seed: a seed, for the same numbers in each session; see also `td.set_random_seed`.
        name: a name for the ops.

    Returns:
        A Tensor with other values at every run. They are not those that TensorFlow draws with the
        same seed.

    Raises:
        ValueError: `maxval` is missing for integers, or a size is negative.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     dice = td.random_uniform([3], 1, 7, td.int32, seed=1)
        ...     with td.Session() as session, td.Session() as other:
        ...         print((session.run(dice) == other.run(dice)).all())
        True
    """
    dtype = as_dtype(dtype)
    if not dtype.is_floating and dtype.name not in ("int32", "int64"):
        raise ValueError(f"dtype must be a floating one, int32 or int64, got {dtype.name}")
    if dtype.is_integer and maxval is None:
        raise ValueError(f"maxval is needed for dtype {dtype.name}")
    with name_scope(name, "random_uniform") as scope:
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(1 if maxval is None else maxval, dtype, name="max")
        if dtype.is_integer:
            return RANDOM_UNIFORM_INT(_shape(shape), low, high, **seed_attrs(seed), name=scope)
        draws = RANDOM_UNIFORM(_shape(shape), dtype=dtype, **seed_attrs(seed))
        return add(multiply(draws, subtract(high, low)), low, name=scope)


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers from a normal distribution.

    Args:
        shape: the shape of the result, a vector of int32 or int64.
        mean: the mean.
        stddev: the standard deviation.
        dtype: half, bfloat16, float32 or float64.
        seed: a seed, for the same numbers in each session; see also `td.set_random_seed`.
        name: a name for the ops.

    Returns:
        A Tensor with other values at every run. They are not those that TensorFlow draws with the
        same seed.

    Raises:
        TypeError: `dtype` is another one.
        ValueError: a size is negative.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.random_normal([2, 3])).shape
        (2, 3)
    """
    return _scaled(RANDOM_STANDARD_NORMAL, shape, mean, stddev, dtype, seed, name, "random_normal")


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers from a normal distribution, none beyond two standard deviations.

    Args:
        shape: the shape of the result, a vector of int32 or int64.
        mean: the mean.
        stddev: the standard deviation, before anything is cut off.
        dtype: half, bfloat16, float32 or float64.
        seed: a seed, for the same numbers in each session; see also `td.set_random_seed`.
        name: a name for the ops.

    Returns:
        A Tensor with other values at every run. They are not those that TensorFlow draws with the
        same seed.

    Raises:
        TypeError: `dtype` is another one.
        ValueError: a size is negative.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     bool((abs(session.run(td.truncated_normal([100]))) <= 2).all())
        True
    """
    return _scaled(TRUNCATED_NORMAL, shape, mean, stddev, dtype, seed, name, "truncated_normal")


def _scaled(
    definition: OpDef,
    shape: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    seed: int | None,
    name: str | None,
    default_name: str,
) -> Tensor:
    dtype = as_dtype(dtype)
    with name_scope(name, default_name) as scope:
        draws = definition(_shape(shape), dtype=dtype, **seed_attrs(seed))
        scaled = multiply(draws, convert_to_tensor(stddev, dtype, name="stddev"))
        return add(scaled, convert_to_tensor(mean, dtype, name="mean"), name=scope)


def _shape(shape: Any) -> Tensor:
    """A shape as a tensor; an empty list is one of int32, too."""
    if isinstance(shape, (list, tuple)) and not shape:
        return convert_to_tensor(np.zeros(0, np.int32), name="shape")
    return convert_to_tensor(shape, name="shape")


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in random order.

    Args:
        value: a tensor of any dtype, shuffled along its first dimension.
        seed: a seed, for the same order in each session; see also `td.set_random_seed`.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `value`, in another order at every run.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     sorted(session.run(td.random_shuffle([1, 2, 3])).tolist())
        [1, 2, 3]
    """
    return RANDOM_SHUFFLE(value, name=name, **seed_attrs(seed))
