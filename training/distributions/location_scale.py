"""Location-scale distributions: Cauchy, logistic and Gumbel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...ops.math.arithmetic import square
from ...ops.math.exponentials import exp, expm1, log, log1p
from ...ops.math.trigonometry import atan, tan
from ...ops.nn.activations import softplus
from ...ops.random.uniform_and_normal import random_uniform
from .parametric import Parametric

public = {"td.contrib.distributions": "Cauchy Gumbel Logistic"}


class LocatedAndScaled(Parametric):
    """Location-scale family, derived from the standard distribution with location 0 and scale 1.

    A subclass says of that one the quantiles, the logarithms of the density and of the cdf, and
    the entropy.
    """

    loc: Tensor
    scale: Tensor

    def _sample_n(self, n: Tensor, seed: int | None = None) -> Tensor:
        least = float(np.finfo(self.dtype.numpy_dtype).tiny)
        return self._quantile(random_uniform(self._sizes(n), least, 1.0, self.dtype, seed))

    def _z(self, value: Tensor) -> Tensor:
        return (value - self.loc) / self.scale

    def _log_prob(self, value: Tensor) -> Tensor:
        return self._standard_log_prob(self._z(value)) - log(self.scale)

    def _quantile(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * self._standard_quantile(value)

    def _entropy(self) -> Tensor:
        return self._standard_entropy + log(self._spread(self.scale))

    def _mode(self) -> Tensor:
        return self._spread(self.loc)

    _standard_entropy: float

    def _standard_log_prob(self, z: Tensor) -> Tensor:
        raise self._absent("log_prob")

    def _standard_quantile(self, value: Tensor) -> Tensor:
        raise self._absent("quantile")


class Cauchy(LocatedAndScaled):
    """The Cauchy distribution, which has neither mean nor variance.

    Args:
        loc: the middle.
        scale: how wide it is, positive.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN.
        name: the name of the scopes of the ops.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.distributions.Cauchy(1.0, 2.0).cdf(1.0))
        np.float32(0.5)
    """

    _standard_entropy = math.log(4.0 * math.pi)
    loc: Tensor
    scale: Tensor

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        self._begin(dict(locals()), "loc scale", "scale")

    def _standard_log_prob(self, z: Tensor) -> Tensor:
        return -log1p(square(z)) - math.log(math.pi)

    def _standard_quantile(self, value: Tensor) -> Tensor:
        return tan(math.pi * (value - 0.5))

    def _cdf(self, value: Tensor) -> Tensor:
        return 0.5 + atan(self._z(value)) / math.pi


class Logistic(LocatedAndScaled):
    """The logistic distribution, whose cdf is the sigmoid.

    Args:
        loc: the middle.
        scale: how wide it is, positive.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN.
        name: the name of the scopes of the ops.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.distributions.Logistic(1.0, 2.0).cdf(1.0))
        np.float32(0.5)
    """

    _standard_entropy = 2.0
    loc: Tensor
    scale: Tensor

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        self._begin(dict(locals()), "loc scale", "scale")

    def _standard_log_prob(self, z: Tensor) -> Tensor:
        return -z - 2.0 * softplus(-z)

    def _standard_quantile(self, value: Tensor) -> Tensor:
        return log(value) - log1p(-value)

    def _log_cdf(self, value: Tensor) -> Tensor:
        return -softplus(-self._z(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return -softplus(self._z(value))

    def _mean(self) -> Tensor:
        return self._spread(self.loc)

    def _stddev(self) -> Tensor:
        return self._spread(self.scale) * (math.pi / math.sqrt(3.0))


class Gumbel(LocatedAndScaled):
    """Gumbel distribution, of the maximum of many samples.

    Args:
        loc: the middle.
        scale: how wide it is, positive.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN.
        name: the name of the scopes of the ops.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.distributions.Gumbel(1.0, 2.0).mode())
        np.float32(1.0)
    """

    _standard_entropy = 1.0 + float(np.euler_gamma)
    loc: Tensor
    scale: Tensor

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gumbel",
    ) -> None:
        self._begin(dict(locals()), "loc scale", "scale")

    def _standard_log_prob(self, z: Tensor) -> Tensor:
        return -(z + exp(-z))

    def _standard_quantile(self, value: Tensor) -> Tensor:
        return -log(-log(value))

    def _log_cdf(self, value: Tensor) -> Tensor:
        return -exp(-self._z(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return log(-expm1(self._log_cdf(value)))

    def _mean(self) -> Tensor:
        return self._spread(self.loc + self.scale * np.euler_gamma)

    def _stddev(self) -> Tensor:
        return self._spread(self.scale) * (math.pi / math.sqrt(6.0))
