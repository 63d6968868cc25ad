"""Poisson distribution of counts, which are floats."""

from __future__ import annotations

from typing import Any

from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...ops.array.constants import ones_like
from ...ops.math.arithmetic import floor
from ...ops.math.comparison import equal
from ...ops.math.exponentials import exp, log
from ...ops.math.where import where_v2
from ...ops.random.gamma_and_poisson import random_poisson
from ...ops.special.gamma_functions import lgamma
from ...ops.special.incomplete_gamma import igammac
from .distribution import NOT_REPARAMETERIZED
from .parameters import parameter
from .parametric import Parametric

public = {"td.contrib.distributions": "Poisson"}


class Poisson(Parametric):
    """Poisson distribution: counts of events with mean `rate`.

    Args:
        rate: the mean, positive.
        log_rate: its logarithm, in its place.
        interpolate_nondiscrete: whether the formula holds between counts, too; otherwise nothing
            else is likely, and `cdf` has steps.
        validate_args: whether runs check the rate.
        allow_nan_stats: whether what is not defined is NaN.
        name: the name of the scopes of the ops.

    Raises:
        ValueError: both or none of `rate` and `log_rate` are given.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.distributions.Poisson(3.5).mode())
        np.float32(3.0)
    """

    _reparameterization = NOT_REPARAMETERIZED

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        interpolate_nondiscrete: bool = True,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        arguments = dict(locals())
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        with name_scope(name):
            if rate is None:
                self.log_rate = parameter(log_rate, "log_rate")
                self.rate = exp(self.log_rate)
            else:
                self.rate = parameter(rate, "rate", positive=validate_args)
                self.log_rate = log(self.rate)
        self.interpolate_nondiscrete = interpolate_nondiscrete
        super().__init__(
            self.rate.dtype, arguments, [self.rate], validate_args, allow_nan_stats, name
        )

    def _sample_n(self, n: Tensor, seed: int | None = None) -> Tensor:
        return random_poisson(self.rate, [n], self.dtype, seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        likely = value * self.log_rate - lgamma(1.0 + value) - self.rate
        if self.interpolate_nondiscrete:
            return likely
        return where_v2((value >= 0.0) & equal(floor(value), value), likely, -float("inf"))

    def _cdf(self, value: Tensor) -> Tensor:
        counted = value if self.interpolate_nondiscrete else floor(value)
        safe = where_v2(counted >= 0.0, counted, 0.0 * counted)
        below = igammac((1.0 + safe) * ones_like(self.rate), self.rate * ones_like(safe))
        return where_v2(counted >= 0.0, below, 0.0)

    def _mean(self) -> Tensor:
        return self.rate

    _variance = _mean

    def _mode(self) -> Tensor:
        return floor(self.rate)
