"""`td.random.Generator`: random numbers with the state in a variable."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, float32, int32, int64, uint64
from ..array.cast import cast
from ..array.constants import zeros_like
from ..array.stack import stack, unstack
from ..common.public_function import same_arguments
from ..common.shared_docs import shared_docs
from ..math.arithmetic import add, multiply, subtract
from ..random.generator_state import (
    NON_DETERMINISTIC_INTS,
    RNG_SKIP,
    STATEFUL_RANDOM_BINOMIAL,
    STATEFUL_STANDARD_NORMAL_V2,
    STATEFUL_TRUNCATED_NORMAL,
    STATEFUL_UNIFORM,
    STATEFUL_UNIFORM_FULL_INT,
    STATEFUL_UNIFORM_INT,
)
from ..random.uniform_and_normal import shape_tensor
from .generator_seeds import (
    STATE_SIZE,
    Algorithm,
    as_state,
    create_rng_state,
    number_of_algorithm,
    of_key_and_counter,
)
from .resource_variable import ResourceVariable

public = {"td.random, td.random.experimental": "Generator"}

_documented = shared_docs(
    {
        "shape": "of the result, a vector of int32 or int64.",
        "dtype": "of the numbers.",
        "name": "a name for the ops.",
    },
    returns="A Tensor of `shape`, with other values at every run: those that TensorFlow's draw.",
)


class Generator:
    """A source of random numbers, whose state a variable holds: it can be saved and set.

    Each draw moves the state on. Within one run draws of one generator are made in the order in
    which they were written. The state is a variable, which wants to be initialized.

    Args:
        copy_from: a Generator whose state this one begins with, in a variable of its own.
        state: three integers, the counter in two halves and the key; or a resource variable of
            them, which becomes this one's.
        alg: `"philox"`, `"auto_select"`, or a `td.random.Algorithm`.

    Raises:
        ValueError: not either `copy_from` or both `state` and `alg` are given; or `state` has
            another shape, or `alg` is unknown.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     generator = td.random.Generator.from_seed(1)
        ...     x = generator.normal([2])
        ...     session.run(td.global_variables_initializer())
        ...     first, second = session.run(x), session.run(x)
        ...     _ = session.run(generator.reset_from_seed(1))
        ...     again = session.run(x)
        >>> first.tolist() == second.tolist(), first.tolist() == again.tolist()
        (False, True)
    """

    def __init__(
        self, copy_from: Generator | None = None, state: Any = None, alg: Any = None
    ) -> None:
        if (copy_from is None) == (state is None) or (state is None) != (alg is None):
            raise ValueError("give either copy_from, or both state and alg")
        if copy_from is not None:
            self._algorithm = copy_from.algorithm
            state = copy_from.state.initialized_value()
        else:
            self._algorithm = number_of_algorithm(alg)
        if isinstance(state, ResourceVariable):
            if not state.shape.is_compatible_with([STATE_SIZE]):
                raise ValueError(f"state must have shape [{STATE_SIZE}], got {state.shape}")
            self._state: ResourceVariable = state
        else:
            with name_scope("random_generator"):
                self._state = ResourceVariable(
                    as_state(state, "state", STATE_SIZE),
                    trainable=False,
                    name="StateVar",
                )

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Self:
        """A generator with a state.

        Args:
            state: three integers: the counter in two halves, the lower first, and the key.
            alg: the algorithm.

        Returns:
            The Generator.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = Algorithm.PHILOX) -> Self:
        """A generator whose state follows from a seed.

        Args:
            seed: as in `td.random.create_rng_state`.
            alg: the algorithm.

        Returns:
            The Generator.
        """
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = Algorithm.PHILOX) -> Self:
        """A generator whose state differs from session to session.

        Args:
            alg: the algorithm.

        Returns:
            The Generator.
        """
        state = NON_DETERMINISTIC_INTS(np.array([STATE_SIZE], np.int64), dtype=int64)
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Self:
        """A generator of a key and a counter.

        Args:
            key: an integer.
            counter: two integers, the lower half first.
            alg: the algorithm.

        Returns:
            The Generator.
        """
        return cls(state=of_key_and_counter(key, counter), alg=alg)

    @property
    def state(self) -> ResourceVariable:
        """The variable that holds the state."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The key, an int64 scalar."""
        return self._state.read_value()[-1]

    def reset(self, state: Any) -> Tensor:
        """Sets the state.

        Args:
            state: three integers: the counter in two halves, the lower first, and the key.

        Returns:
            The assignment, to be run. TensorFlow's returns nothing.
        """
        return self._assigned(as_state(state, "state", STATE_SIZE))

    def reset_from_seed(self, seed: Any) -> Tensor:
        """Sets the state to that which follows from a seed.

        Args:
            seed: as in `td.random.create_rng_state`.

        Returns:
            The assignment, to be run. TensorFlow's returns nothing.
        """
        return self._assigned(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> Tensor:
        """Sets key and counter.

        Args:
            key: an integer.
            counter: two integers, the lower half first.

        Returns:
            The assignment, to be run. TensorFlow's returns nothing.
        """
        return self._assigned(of_key_and_counter(key, counter))

    def skip(self, delta: TensorLike) -> Operation:
        """Moves the counter on as far as drawing so many numbers does.

        Args:
            delta: how many, an integer.

        Returns:
            The Operation, to be run.
        """
        state: Any = RNG_SKIP(self._state.handle, self._algorithm, cast(delta, int64))
        return state

    @_documented
    def normal(
        self,
        shape: Any,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers.

        Args:
            mean: their mean.
            stddev: their standard deviation.
        """
        with name_scope(name, "stateful_normal", [shape, mean, stddev]) as scope:
            return self._scaled(STATEFUL_STANDARD_NORMAL_V2, shape, mean, stddev, dtype, scope)

    @_documented
    @same_arguments(normal)
    def truncated_normal(self, *arguments: Any) -> Tensor:
        """Normal numbers, without those beyond two standard deviations.

        Args:
            mean: their mean.
            stddev: their standard deviation, before those are left out.
        """
        shape, mean, stddev, dtype, name = arguments
        with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
            return self._scaled(STATEFUL_TRUNCATED_NORMAL, shape, mean, stddev, dtype, scope)

    @_documented
    def uniform(
        self,
        shape: Any,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of [minval, maxval), each as likely as the other.

        Args:
            minval: the least number; None, with `maxval`, for integers of all that `dtype` holds.
            maxval: the number that all are less than; 1 for floats.

        Raises:
            ValueError: of integers, one bound is None and the other is not.
        """
        kind = as_dtype(dtype)
        if kind.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"minval and maxval must both be None or both be given for {kind.name}, got "
                f"{minval!r} and {maxval!r}"
            )
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as scope:
            if kind.is_integer and minval is None:
                return self._drawn(STATEFUL_UNIFORM_FULL_INT, shape, dtype=kind, name=scope)
            low = convert_to_tensor(minval, kind, name="min")
            high = convert_to_tensor(1 if maxval is None else maxval, kind, name="max")
            if kind.is_integer:
                return self._drawn(STATEFUL_UNIFORM_INT, shape, low, high, name=scope)
            draws = self._drawn(STATEFUL_UNIFORM, shape, dtype=kind)
            return add(multiply(draws, subtract(high, low)), low, name=scope)

    @_documented
    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Tensor:
        """Integers of all that their dtype holds: int32, int64, uint32 or uint64."""
        with name_scope(name, "stateful_uniform_full_int", [shape]) as scope:
            kind = as_dtype(dtype)
            return self._drawn(STATEFUL_UNIFORM_FULL_INT, shape, dtype=kind, name=scope)

    @_documented
    def binomial(
        self,
        shape: Any,
        counts: TensorLike,
        probs: TensorLike,
        dtype: Any = int32,
        name: str | None = None,
    ) -> Tensor:
        """Binomial random numbers: successes in a number of trials.

        Args:
            shape: of the result, which ends with that of `counts` and `probs` together.
            counts: the numbers of attempts.
            probs: the probability of success of each, of the dtype of `counts`.
        """
        with name_scope(name, "binomial", [shape, counts, probs]) as scope:
            kind = as_dtype(dtype)
            return self._drawn(
                STATEFUL_RANDOM_BINOMIAL, shape, counts, probs, dtype=kind, name=scope
            )

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for the functions whose names begin with `stateless_`.

        Args:
            count: how many.

        Returns:
            A Tensor [2, count] of int64, of which each column is a seed.
        """
        keys = self.uniform_full_int([count], int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Generators that begin with keys which this one draws.

        Args:
            count: how many.

        Returns:
            A list of Generators, whose variables are initialized after this one's: run
            `generator.state.initializer` first.
        """
        keys = unstack(self.uniform_full_int([count], int64), count)
        return [Generator(state=stack([0, 0, key]), alg=self._algorithm) for key in keys]

    def _assigned(self, state: Tensor) -> Tensor:
        return self._state.assign(state)

    def _drawn(self, definition: OpDef, shape: Any, *values: Any, **attrs: Any) -> Tensor:
        return definition(
            self._state.handle, self._algorithm, shape_tensor(shape), *values, **attrs
        )

    def _scaled(
        self, definition: OpDef, shape: Any, mean: Any, stddev: Any, dtype: Any, name: str
    ) -> Tensor:
        kind = as_dtype(dtype)
        centre = convert_to_tensor(mean, kind, name="mean")
        scale = convert_to_tensor(stddev, kind, name="stddev")
        draws = self._drawn(definition, shape, dtype=kind)
        return add(multiply(draws, scale), centre, name=name)
