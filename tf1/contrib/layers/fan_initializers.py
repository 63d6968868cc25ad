"""Initializers that scale random numbers by fan-in and fan-out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....graph.node import Tensor
from ....ops.random.uniform_and_normal import random_uniform, truncated_normal
from ....protos.dtypes import as_dtype

if TYPE_CHECKING:
    Initializer = Callable[..., Tensor]

public = {
    "td.contrib.layers, td.contrib.slim, td.contrib.slim.initializers": (
        "variance_scaling_initializer xavier_initializer "
        "xavier_initializer_conv2d=xavier_initializer"
    ),
}

_TAILS = 1.3  # approximate loss of variance by truncation
_FANS: dict[str, Callable[[float, float], float]] = {
    "FAN_IN": lambda inputs, outputs: inputs,
    "FAN_OUT": lambda inputs, outputs: outputs,
    "FAN_AVG": lambda inputs, outputs: (inputs + outputs) / 2.0,
}


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = "float32"
) -> Initializer:
    """Random numbers scaled by the mean of inputs and outputs (Glorot and Bengio, 2010).

    Args:
        uniform: whether the numbers are uniform; otherwise they are of the truncated normal
            distribution.
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype, a floating one.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     weights = session.run(td.contrib.layers.xavier_initializer()([100, 50]))
        ...     abs(weights).max() <= 0.2  # the square root of 6 / (100 + 50)
        np.True_
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = "float32",
) -> Initializer:
    """Variance scaling: variance `factor` divided by the fan-in (He et al., 2015).

    Unlike `td.variance_scaling_initializer` it takes 1.3 for the variance that cutting the tails
    off the normal distribution costs.

    Args:
        factor: the variance times the number.
        mode: "FAN_IN", "FAN_OUT", or "FAN_AVG" for their mean.
        uniform: whether the numbers are uniform; otherwise they are of the truncated normal
            distribution.
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype, a floating one.

    Returns:
        A function from a shape to a tensor.

    Raises:
        TypeError: the dtype is not floating, or there is no such mode.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     make = td.contrib.layers.variance_scaling_initializer(uniform=True)
        ...     abs(session.run(make([6, 50]))).max() <= 1  # the square root of 3 * 2 / 6
        np.True_
    """
    own = as_dtype(dtype)
    if not own.is_floating:
        raise TypeError(f"an initializer of random numbers needs a floating dtype, got {own.name}")
    if mode not in _FANS:
        raise TypeError(f"mode must be one of {', '.join(_FANS)}, got {mode!r}")

    def initializer(shape: Any, dtype: Any = own, partition_info: Any = None) -> Tensor:
        wanted = as_dtype(dtype)
        if not wanted.is_floating:
            raise TypeError(
                f"an initializer of random numbers needs a floating dtype, got {wanted.name}"
            )
        whole = shape if partition_info is None else partition_info.full_shape
        sizes = [float(size) for size in whole]
        # A kernel's last two sizes are channels, the others those of a window.
        window = math.prod(sizes[:-2])
        inputs = sizes[-2] if len(sizes) > 1 else sizes[-1] if sizes else 1.0
        outputs = sizes[-1] if sizes else 1.0
        count = _FANS[mode](inputs * window, outputs * window)
        if uniform:
            limit = math.sqrt(3.0 * factor / count)
            return random_uniform(shape, -limit, limit, wanted, seed=seed)
        return truncated_normal(shape, 0.0, math.sqrt(_TAILS * factor / count), wanted, seed=seed)

    return initializer
