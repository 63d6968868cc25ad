"""Initializers: functions from a shape to the tensor that a variable begins with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..protos.dtypes import as_dtype
from ..shape_inference.tensor_shape import TensorShape
from .constants import constant
from .fills import ones, zeros
from .random import random_normal, random_uniform, truncated_normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.node import Tensor
    from ..protos.dtypes import DType


class Initializer:
    """A function from a shape and a dtype to the initial value of a variable.

    Args:
        dtype: the dtype that values have where none is asked for.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.ones_initializer(td.int32)([2, 3])))
        [[1 1 1]
         [1 1 1]]
    """

    def __init__(self, dtype: Any = "float32") -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The initial value.

        Args:
            shape: the shape.
            dtype: the dtype; by default that of the initializer.
            partition_info: accepted for TensorFlow's sake.

        Raises:
            ValueError: the shape is not known.
        """
        del partition_info
        wanted = TensorShape(shape)
        if not wanted.is_fully_defined():
            raise ValueError(f"an initial value needs a shape that is known, got {wanted}")
        sizes = [size for size in wanted.as_list() if size is not None]
        return self._value(sizes, self.dtype if dtype is None else as_dtype(dtype).base_dtype)

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an initializer like this one."""
        config = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return {**config, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` described."""
        return cls(**config)


class Zeros(Initializer):
    """Zeros; empty strings, False."""

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        return zeros(shape, dtype)


class Ones(Initializer):
    """Ones."""

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        return ones(shape, dtype)


class Constant(Initializer):
    """Given values.

    Args:
        value: a number for all elements, or the elements in order; where there are fewer than the
            shape has, the last is repeated.
        dtype: the dtype.
        verify_shape: whether `value` must have exactly the shape asked for.
    """

    def __init__(self, value: Any = 0, dtype: Any = "float32", verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.value = value
        self.verify_shape = verify_shape

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        return constant(self.value, dtype, shape, verify_shape=self.verify_shape)


class RandomUniform(Initializer):
    """Random numbers that are equally likely anywhere in a range.

    Args:
        minval: where the range begins.
        maxval: where it ends: numbers are less. By default 1 for floats; integers need it.
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype.
    """

    def __init__(
        self, minval: Any = 0, maxval: Any = None, seed: int | None = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(dtype)
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        return random_uniform(shape, self.minval, self.maxval, dtype, self.seed)


class _Normal(Initializer):
    """Random numbers around a mean.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype.
    """

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(dtype)
        self.mean = mean
        self.stddev = stddev
        self.seed = seed


class RandomNormal(_Normal):
    """Random numbers of the normal distribution; arguments as for `td.random_normal`."""

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        return random_normal(shape, self.mean, self.stddev, dtype, self.seed)


class TruncatedNormal(_Normal):
    """Random numbers of the normal distribution, at most two standard deviations from the mean."""

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        return truncated_normal(shape, self.mean, self.stddev, dtype, self.seed)


class VarianceScaling(Initializer):
    """Random numbers whose variance suits the number of inputs or outputs of a layer.

    Args:
        scale: a factor of the variance, more than 0.
        mode: what the variance is divided by: "fan_in", the number of inputs; "fan_out", that of
            outputs; "fan_avg", their mean.
        distribution: "normal" (or "truncated_normal"), "untruncated_normal" or "uniform".
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype, a floating one.

    Raises:
        ValueError: an argument is none of these.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "normal",
        seed: int | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(dtype)
        distribution = distribution.lower()
        if scale <= 0:
            raise ValueError(f"scale must be more than 0, got {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"mode must be fan_in, fan_out or fan_avg, got {mode!r}")
        if distribution not in ("normal", "truncated_normal", "untruncated_normal", "uniform"):
            raise ValueError(f"distribution must be normal or uniform, got {distribution!r}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        fan_in, fan_out = _fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return RandomUniform(-limit, limit, self.seed)(shape, dtype)
        if self.distribution == "untruncated_normal":
            return RandomNormal(0.0, math.sqrt(variance), self.seed)(shape, dtype)
        # Cutting the tails off leaves this much of the standard deviation.
        stddev = math.sqrt(variance) / 0.87962566103423978
        return TruncatedNormal(0.0, stddev, self.seed)(shape, dtype)


def _fans(shape: Sequence[int]) -> tuple[float, float]:
    """The numbers of inputs and outputs of the layer whose weights have this shape."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class GlorotUniform(VarianceScaling):
    """Uniform random numbers scaled by the mean of inputs and outputs: what variables begin with.

    Args:
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype, a floating one.
    """

    def __init__(self, seed: int | None = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an initializer like this one."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Normal random numbers scaled by the mean of inputs and outputs.

    Args:
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype, a floating one.
    """

    def __init__(self, seed: int | None = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an initializer like this one."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """The identity matrix.

    Args:
        gain: a factor of it.
        dtype: the dtype.
    """

    def __init__(self, gain: float = 1.0, dtype: Any = "float32") -> None:
        super().__init__(dtype)
        self.gain = gain

    def _value(self, shape: list[int], dtype: DType) -> Tensor:
        if len(shape) != 2:
            raise ValueError(f"the identity is a matrix, got shape {shape}")
        return constant(np.eye(*shape, dtype=dtype.numpy_dtype) * dtype.numpy_dtype.type(self.gain))


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
