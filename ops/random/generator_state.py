"""Random numbers of a generator whose state a variable holds: `Stateful…`, as in TensorFlow 2.

The state is a vector of int64: the counter of Philox in two halves, the lower first, then the key.
Each op that draws moves the counter on behind what it has set aside.
"""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...graph.references import modify, reference
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from .binomial import binomial
from .distributions import RESERVED, drawn, sizes_to_draw
from .philox import Philox
from .random_state import AUTOMATIC, PHILOX
from .stateless_parameters import drawn_for_each, shape_that_ends

if TYPE_CHECKING:
    from ...graph.op_def import Results

_LEAST_STATE = 3
_FLOATS = "dtype: {half, bfloat16, float32, float64} = float32"
_ALL_INTEGERS = "{int32, int64, uint32, uint64}"
_SHAPES = "shape_dtype: {int32, int64} = int64"
_NUMBERS = "{half, float32, float64, int32, int64}"
_KINDS = {
    "StatefulUniform": (_FLOATS, "uniform"),
    "StatefulStandardNormalV2": (_FLOATS, "normal"),
    "StatefulTruncatedNormal": (_FLOATS, "truncated_normal"),
    "StatefulUniformFullInt": (f"dtype: {_ALL_INTEGERS} = uint64", "full_integers"),
    "StatefulUniformInt": ("dtype: {int32, int64} = int64", "integers"),
}
RNG_SKIP: OpDef[Results] = OpDef(
    "RngSkip", "resource: resource, algorithm: int64, delta: int64 ->", traits=STATEFUL
)
RNG_READ_AND_SKIP = OpDef(
    "RngReadAndSkip",
    "resource: resource, alg: int32, delta: uint64 -> value: int64",
    traits=STATEFUL,
)
# As TensorFlow made it before 1.15: the first element of its state is the algorithm's number.
STATEFUL_STANDARD_NORMAL = OpDef(
    "StatefulStandardNormal",
    "resource: resource, shape: shape_dtype -> output: dtype",
    "dtype: {half, bfloat16, float32, float64} = float32, shape_dtype: {int32, int64} = int64",
    traits=STATEFUL,
)
STATEFUL_RANDOM_BINOMIAL = OpDef(
    "StatefulRandomBinomial",
    "resource: resource, algorithm: int64, shape: S, counts: T, probs: T -> output: dtype",
    f"S: {{int32, int64}}, T: {_NUMBERS} = float64, dtype: {_NUMBERS} = int64",
    traits=STATEFUL,
)
NON_DETERMINISTIC_INTS = OpDef(
    "NonDeterministicInts",
    "shape: shape_dtype -> output: dtype",
    f"dtype: {_ALL_INTEGERS} = int64, {_SHAPES}",
    traits=STATEFUL,
)


def _moved_on(handle: Array, algorithm: Array, name: str, groups: int) -> Array:
    """State of a generator with its counter advanced by a number of groups.

    Args:
        handle: of the variable.
        algorithm: the number that the op names.
        name: of that input.
        groups: how far the counter goes.

    Raises:
        ValueError: the algorithm is another one, or the variable holds no such state.
    """
    _check_algorithm(algorithm, name)
    return _read_and_moved(handle, groups)


def _check_algorithm(algorithm: Array, name: str) -> None:
    if algorithm.ndim or int(algorithm) not in (PHILOX, AUTOMATIC):
        raise ValueError(
            f"{name} must be {PHILOX} (Philox) or {AUTOMATIC}, got {algorithm.tolist()}"
        )


def _read_and_moved(handle: Array, groups: int, named: bool = False) -> Array:
    """State before its counter advances; `named` where an algorithm's number precedes it."""
    read: list[Array] = []

    def move(state: Array) -> None:
        least = _LEAST_STATE + named
        if state.dtype != np.int64 or state.ndim != 1 or len(state) < least:
            raise ValueError(
                f"the state must be a vector of int64 with {least} elements or more, got "
                f"{state.dtype} of shape {list(state.shape)}"
            )
        if named:
            _check_algorithm(state[0], "the state's first element")
            state = state[1:]
        read.append(state.copy())
        counter = _stream(state).counter + groups
        words = np.array([counter & 2**64 - 1, counter >> 64 & 2**64 - 1], np.uint64)
        state[:2] = words.view(np.int64)

    modify(move, reference(handle))
    return read[0]


def _stream(state: Array) -> Philox:
    """The stream that begins where a state stands."""
    low, high, key = (int(word) for word in state[:3].view(np.uint64))
    return Philox(key, high << 64 | low)


def _define(name: str) -> OpDef:
    """An op that draws numbers of a kind."""
    dtypes, kind = _KINDS[name]
    bounds = ", minval: dtype, maxval: dtype" if kind == "integers" else ""
    definition = OpDef(
        name,
        f"resource: resource, algorithm: int64, shape: shape_dtype{bounds} -> output: dtype",
        f"{dtypes}, {_SHAPES}",
        traits=STATEFUL,
    )

    @definition.shape
    def shape_of(c: ShapeContext) -> TensorShape:
        c.shape("algorithm", rank=0)
        if bounds:
            c.shape("minval", rank=0)
            c.shape("maxval", rank=0)
        return shape_from_value(c, "shape")

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype

        def draw(resource: Array, algorithm: Array, shape: Array, *limits: Array) -> Array:
            sizes = sizes_to_draw(shape, dtype)
            count = math.prod(sizes)
            state = _moved_on(resource, algorithm, "algorithm", count * RESERVED)
            if not count:
                return np.empty(sizes, dtype)
            return drawn(kind, _stream(state), count, dtype, limits).reshape(sizes)

        return fresh(draw)

    return definition


(
    STATEFUL_UNIFORM,
    STATEFUL_STANDARD_NORMAL_V2,
    STATEFUL_TRUNCATED_NORMAL,
    STATEFUL_UNIFORM_FULL_INT,
    STATEFUL_UNIFORM_INT,
) = map(_define, _KINDS)


@STATEFUL_STANDARD_NORMAL.shape
def _named_shape(c: ShapeContext) -> TensorShape:
    return shape_from_value(c, "shape")


@STATEFUL_STANDARD_NORMAL.kernel
def _named_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def draw(resource: Array, shape: Array) -> Array:
        sizes = sizes_to_draw(shape, dtype)
        count = math.prod(sizes)
        state = _read_and_moved(resource, count * RESERVED, named=True)
        if not count:
            return np.empty(sizes, dtype)
        return drawn("normal", _stream(state), count, dtype).reshape(sizes)

    return fresh(draw)


@STATEFUL_RANDOM_BINOMIAL.shape
def _binomial_shape(c: ShapeContext) -> TensorShape:
    c.shape("algorithm", rank=0)
    return shape_that_ends(c, "counts", "probs")


@STATEFUL_RANDOM_BINOMIAL.kernel
def _binomial_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def draw(resource: Array, algorithm: Array, shape: Array, counts: Array, probs: Array) -> Array:
        def stream(number: int, distributions: int) -> Philox:
            # How far TensorFlow moves the counter on for them.
            numbers = distributions * 2 * 100 * (number + 3) // 4
            return _stream(_moved_on(resource, algorithm, "algorithm", numbers * RESERVED))

        return drawn_for_each(binomial, stream, shape, dtype, (counts, probs))

    return fresh(draw)


@RNG_SKIP.shape
def _skip_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("algorithm", rank=0)
    c.shape("delta", rank=0)
    return []


@RNG_SKIP.kernel
def _skip_kernel(c: KernelContext) -> Kernel:

    def skip(resource: Array, algorithm: Array, delta: Array) -> None:
        _moved_on(resource, algorithm, "algorithm", _skipped(delta))

    return skip


@RNG_READ_AND_SKIP.shape
def _read_and_skip_shape(c: ShapeContext) -> TensorShape:
    c.shape("alg", rank=0)
    c.shape("delta", rank=0)
    return TensorShape.of((_LEAST_STATE,))


@RNG_READ_AND_SKIP.kernel
def _read_and_skip_kernel(c: KernelContext) -> Kernel:

    def read_and_skip(resource: Array, alg: Array, delta: Array) -> Array:
        return _moved_on(resource, alg, "alg", _skipped(delta))[:_LEAST_STATE]

    return fresh(read_and_skip)


def _skipped(delta: Array) -> int:
    """The groups of so many numbers, in 64 bits: a negative one affects only the lower half."""
    if delta.ndim:
        raise ValueError(f"delta must have rank 0, got shape {list(delta.shape)}")
    return int(delta) * RESERVED & 2**64 - 1


@NON_DETERMINISTIC_INTS.shape
def _non_deterministic_shape(c: ShapeContext) -> TensorShape:
    return shape_from_value(c, "shape")


@NON_DETERMINISTIC_INTS.kernel
def _non_deterministic_kernel(c: KernelContext) -> Kernel:
    dtype: np.dtype[Any] = c.output_dtype.numpy_dtype

    def integers(shape: Array) -> Array:
        sizes = sizes_to_draw(shape, dtype)
        data = secrets.token_bytes(math.prod(sizes) * dtype.itemsize)
        return np.frombuffer(bytearray(data), dtype).reshape(sizes)

    return fresh(integers)
