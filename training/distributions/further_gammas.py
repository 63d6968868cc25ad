"""Distributions made of the gamma distribution: its inverse, and that of sums of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...ops.array.constants import ones_like
from ...ops.math.arithmetic import square
from ...ops.math.exponentials import log
from ...ops.math.where import where_v2
from ...ops.random.gamma_and_poisson import random_gamma
from ...ops.special.gamma_functions import digamma, lgamma
from ...ops.special.incomplete_gamma import igammac
from .distribution import NOT_REPARAMETERIZED
from .gammas import Gamma
from .parameters import parameters_of_one_dtype
from .parametric import Parametric

public = {"td.contrib.distributions": "Chi2 InverseGamma"}


class InverseGamma(Parametric):
    """The distribution of `1 / x` where x has a gamma distribution.

    Args:
        concentration: the shape of it, positive.
        rate: how wide it is, positive.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN.
        name: the name of the scopes of the ops.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.distributions.InverseGamma(3.0, 4.0).mean())
        np.float32(2.0)
    """

    _reparameterization = NOT_REPARAMETERIZED
    concentration: Tensor
    rate: Tensor

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        self._begin(dict(locals()), "concentration rate", "concentration rate")

    def _sample_n(self, n: Tensor, seed: int | None = None) -> Tensor:
        return 1.0 / random_gamma([n], self.concentration, self.rate, self.dtype, seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        a, rate = self.concentration, self.rate
        return a * log(rate) - lgamma(a) - (1.0 + a) * log(value) - rate / value

    def _cdf(self, value: Tensor) -> Tensor:
        scaled = self.rate / value
        return igammac(
            self.concentration * ones_like(scaled), scaled * ones_like(self.concentration)
        )

    def _entropy(self) -> Tensor:
        a = self.concentration
        return a + log(self.rate) + lgamma(a) - (1.0 + a) * digamma(a)

    def _above(self, least: float, found: Tensor) -> Tensor:
        """What is defined for more than that concentration alone."""
        return where_v2(self._spread(self.concentration) > least, found, np.nan)

    def _mean(self) -> Tensor:
        return self._above(1.0, self.rate / (self.concentration - 1.0))

    def _mode(self) -> Tensor:
        return self.rate / (1.0 + self.concentration)

    def _variance(self) -> Tensor:
        a = self.concentration
        return self._above(2.0, square(self.rate / (a - 1.0)) / (a - 2.0))


class Chi2(Gamma):
    """The chi-squared distribution: the sum of the squares of normal numbers.

    Args:
        df: the degrees of freedom, how many they are, positive.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN.
        name: the name of the scopes of the ops.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.contrib.distributions.Chi2(3.0).variance())
        np.float32(6.0)
    """

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        given = dict(locals())
        [self.df] = parameters_of_one_dtype("df", [df], "df" if validate_args else "")
        half = 0.5 * ones_like(self.df)
        super().__init__(0.5 * self.df, half, validate_args, allow_nan_stats, name)
        self._parameters = {k: v for k, v in given.items() if k not in ("self", "__class__")}
