"""Learning-rate schedules: cosine decays."""

from __future__ import annotations

import math
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...ops.array.cast import cast
from ...ops.math.arithmetic import floor, minimum, multiply, pow as power_of
from ...ops.math.exponentials import log
from ...ops.math.trigonometry import cos
from ...ops.random.uniform_and_normal import random_normal

public = {
    "td.train": (
        "cosine_decay cosine_decay_restarts linear_cosine_decay noisy_linear_cosine_decay"
    ),
}


def _cosine(fraction: Tensor) -> Tensor:
    """From 1 to 0 as a cosine, while the fraction goes from 0 to 1."""
    return 0.5 * (1.0 + cos(math.pi * fraction))


def _fraction(global_step: Any, decay_steps: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """The steps done, at most `decay_steps`, and these."""
    if global_step is None:
        raise ValueError("global_step is required for a decay by a cosine.")
    steps = cast(decay_steps, dtype)
    return minimum(cast(convert_to_tensor(global_step), dtype), steps), steps


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cosine decay from the rate to `alpha` times the rate (Loshchilov and Hutter, 2016).

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of steps done: an integer, a variable or a tensor.
        decay_steps: after how many steps the rate is the least.
        alpha: the least rate, as a fraction of `learning_rate`.
        name: a name for the scope of the ops.

    Raises:
        ValueError: `global_step` is None.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rate = td.train.cosine_decay(0.5, 0, 10)
        ...     session.run(rate)
        np.float32(0.5)
    """
    with name_scope(name, "CosineDecay"):
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        done, steps = _fraction(global_step, decay_steps, rate.dtype.base_dtype)
        return multiply(rate, (1 - alpha) * _cosine(done / steps) + alpha)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cosine decay with warm restarts: SGDR (Loshchilov and Hutter, 2016).

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of steps done: an integer, a variable or a tensor.
        first_decay_steps: after how many steps it begins again for the first time.
        t_mul: how many times as long each time is as the one before.
        m_mul: how many times as high it begins.
        alpha: the least rate, as a fraction of `learning_rate`.
        name: a name for the scope of the ops.

    Raises:
        ValueError: `global_step` is None.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rate = td.train.cosine_decay_restarts(0.5, 10, 10)
        ...     session.run(rate)
        np.float32(0.5)
    """
    if global_step is None:
        raise ValueError("global_step is required for cosine_decay_restarts.")
    with name_scope(name, "SGDRDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        first, ratio, factor = [cast(item, dtype) for item in (first_decay_steps, t_mul, m_mul)]
        fraction = cast(convert_to_tensor(global_step), dtype) / first
        if not isinstance(t_mul, Tensor) and t_mul == 1.0:
            restarts = floor(fraction)
            fraction = fraction - restarts
        else:
            restarts = floor(log(1.0 - fraction * (1.0 - ratio)) / log(ratio))
            before = (1.0 - power_of(ratio, restarts)) / (1.0 - ratio)
            fraction = (fraction - before) / power_of(ratio, restarts)
        wave = (1 - alpha) * power_of(factor, restarts) * _cosine(fraction)
        return multiply(rate, wave + alpha, name=scope)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """Linear cosine decay: a linear decay to zero times a cosine (Bello et al., 2017).

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of steps done: an integer, a variable or a tensor.
        decay_steps: after how many steps it ends.
        num_periods: how many periods of the cosine these are.
        alpha: what is added to the line.
        beta: what is added to the product.
        name: a name for the scope of the ops.

    Raises:
        ValueError: `global_step` is None.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rate = td.train.linear_cosine_decay(0.5, 10, 10, beta=0.5)
        ...     session.run(rate)
        np.float32(0.25)
    """
    with name_scope(name, "LinearCosineDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        done, steps = _fraction(global_step, decay_steps, rate.dtype.base_dtype)
        linear = (steps - done) / steps
        wave = _cosine(2.0 * cast(num_periods, rate.dtype.base_dtype) * (done / steps))
        return multiply(rate, (alpha + linear) * wave + beta, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """As `linear_cosine_decay`, with noise on the line (Bello et al., 2017).

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of steps done: an integer, a variable or a tensor.
        decay_steps: after how many steps it ends.
        initial_variance: the variance of the noise at the beginning.
        variance_decay: the power by which it falls with the steps.
        num_periods: how many periods of the cosine these are.
        alpha: what is added to the line.
        beta: what is added to the product.
        name: a name for the scope of the ops.

    Raises:
        ValueError: `global_step` is None.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rate = td.train.noisy_linear_cosine_decay(0.5, 10, 10, 0.0, beta=0.5)
        ...     session.run(rate)
        np.float32(0.25)
    """
    with name_scope(name, "NoisyLinearCosineDecay") as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        dtype = rate.dtype.base_dtype
        done, steps = _fraction(global_step, decay_steps, dtype)
        variance = cast(initial_variance, dtype) / power_of(1.0 + done, cast(variance_decay, dtype))
        noise = random_normal(done.shape, stddev=1.0, dtype=dtype) * power_of(variance, 0.5)
        linear = (steps - done) / steps + noise
        wave = _cosine(2.0 * cast(num_periods, dtype) * (done / steps))
        return multiply(rate, (alpha + linear) * wave + beta, name=scope)
