"""Initializers under the names of `td.contrib.layers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.initializers.scaling_initializers import GlorotUniform, VarianceScaling

if TYPE_CHECKING:
    from ..ops.initializers.plain_initializers import Initializer

public = {"td.contrib.layers": "xavier_initializer xavier_initializer_conv2d=xavier_initializer"}

_LEFT = 0.87962566103423978  # what is left of the deviation of a truncated normal distribution


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = "float32"
) -> Initializer:
    """Random numbers scaled by the mean of inputs and outputs: Glorot's, under another name.

    Args:
        uniform: whether the numbers are uniform; otherwise they are of the truncated normal
            distribution.
        seed: makes the numbers the same in every session: see `td.set_random_seed`.
        dtype: the dtype, a floating one.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     weights = session.run(td.contrib.layers.xavier_initializer()([100, 50]))
        ...     abs(weights).max() <= 0.2  # the square root of 6 / (100 + 50)
        np.True_
    """
    if uniform:
        return GlorotUniform(seed, dtype)
    # `contrib` takes 1.3 for the variance that cutting the tails off costs, where VarianceScaling
    # has the exact number.
    return VarianceScaling(1.3 * _LEFT**2, "fan_avg", "truncated_normal", seed, dtype)
