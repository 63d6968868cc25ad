"""Normalization by given statistics, and its gradient, as old graphs hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, raises
from harness import check

import tensordraft as td
from tensordraft.graph.registry import lookup

X = np.array([1, 5, 3, 7], "d").reshape(1, 1, 2, 2)
MEAN, VARIANCE, BETA, GAMMA = (np.array(v, "d") for v in ([2, 1], [3, 15], [10, 0], [2, 4]))
ATTRS: dict[str, Any] = {"variance_epsilon": 1.0, "scale_after_normalization": True}
PLAIN = ATTRS | {"scale_after_normalization": False}
OP, GRAD = "BatchNormWithGlobalNormalization", "BatchNormWithGlobalNormalizationGrad"
CASES = [
    Case(OP, [X, MEAN, VARIANCE, BETA, GAMMA], ATTRS,
         np.array([9, 4, 11, 6], "d").reshape(X.shape)),
    Case(OP, [X, MEAN, VARIANCE, BETA, GAMMA], PLAIN,
         np.array([9.5, 1, 10.5, 1.5], "d").reshape(X.shape), id="plain"),
    Case(OP, [X[0], MEAN, VARIANCE, BETA, GAMMA], ATTRS, raises("t must have rank 4")),
    Case(OP, [X, MEAN[:1], VARIANCE, BETA, GAMMA], ATTRS, raises("m"), id="length"),
    Case(GRAD, [X, MEAN, VARIANCE, GAMMA, np.ones_like(X)], ATTRS, (
        np.ones_like(X), np.array([-2.0, -2]), np.array([0, -0.3125]), np.array([2.0, 2]),
        np.array([0, 2.5]))),
    Case(GRAD, [X, MEAN, VARIANCE, GAMMA, np.ones_like(X)], PLAIN, id="plain", expected=(
        np.array([0.5, 0.25, 0.5, 0.25]).reshape(X.shape), np.array([-1, -0.5]),
        np.array([0, -0.078125]), np.array([2.0, 2]), np.zeros(2))),
    Case(GRAD, [X, MEAN, VARIANCE, GAMMA, np.ones((1, 1, 1, 2))], ATTRS, raises("backprop")),
]  # fmt: skip
test_global_normalization = check(CASES)


def test_the_public_function_is_made_of_other_ops() -> None:
    parts: dict[str, Any] = {"beta": BETA, "gamma": GAMMA, **ATTRS}
    with td.Graph().as_default(), td.Session() as session:
        old = lookup(OP)(X, MEAN, VARIANCE, BETA, GAMMA, **ATTRS)
        new = td.nn.batch_norm_with_global_normalization(X, MEAN, VARIANCE, **parts)
        named = td.nn.batch_norm_with_global_normalization(
            input=X, mean=MEAN, variance=VARIANCE, **parts
        )
        for value in session.run([new, named]):
            np.testing.assert_allclose(value, session.run(old))
