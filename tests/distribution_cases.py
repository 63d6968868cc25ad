"""Cases of distributions, for TensorFlow and here; see `golden/make_distributions.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

STATISTICS = ["mean", "mode", "variance", "stddev", "entropy"]
OF_VALUES = ["log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function"]
FLOATS = np.array([[-2.5, 0.0], [0.25, 1.5], [3.0, 12.0]], np.float32)
INSIDE = np.array([[0.1, 0.25], [0.5, 0.9]], np.float32)
COUNTS = np.array([[1.0, 2.0, 1.0], [0.0, 0.0, 4.0]], np.float32)
SHARES = np.array([[0.25, 0.25, 0.5], [0.1, 0.2, 0.7]], np.float32)
BITS = np.array([[0, 1], [1, 1], [0, 0]], np.int32)
CLASSES = np.array([[0, 1], [2, 2]], np.int32)
# The class, its arguments, the values that it is asked about, and what it has a formula for.
CASES: dict[str, tuple[str, dict[str, Any], Any, str]] = {
    "normal": ("Normal", {"loc": [0.0, 1.0], "scale": [1.0, 2.5]}, FLOATS, "all quantile"),
    "uniform": ("Uniform", {"low": [-1.0, 0.0], "high": [2.0, 4.0]}, FLOATS, "all"),
    "laplace": ("Laplace", {"loc": 0.5, "scale": [1.0, 2.0]}, FLOATS, "all"),
    "student": (
        "StudentT",
        {"df": [1.5, 3.0], "loc": [0.5, 0.5], "scale": [1.0, 2.0]},
        FLOATS[1],
        "all",
    ),
    "gamma": ("Gamma", {"concentration": [0.5, 3.0], "rate": 2.0}, FLOATS[1], "all"),
    "exponential": ("Exponential", {"rate": [0.5, 2.0]}, FLOATS[1], "all"),
    "beta": (
        "Beta",
        {"concentration1": [2.0, 0.5], "concentration0": [3.0, 1.5]},
        INSIDE[0],
        "all",
    ),
    "bernoulli": ("Bernoulli", {"logits": [0.5, -1.0]}, BITS, "prob log_prob"),
    "bernoulli of probs": ("Bernoulli", {"probs": [0.2, 0.9]}, BITS, "prob log_prob"),
    "categorical": (
        "Categorical",
        {"logits": [[0.5, -1.0, 2.0], [0.0, 0.0, 0.0]]},
        CLASSES,
        "prob log_prob",
    ),
    "multinomial": (
        "Multinomial",
        {"total_count": [4.0, 4.0], "probs": SHARES},
        COUNTS,
        "prob log_prob covariance",
    ),
    "dirichlet": (
        "Dirichlet",
        {"concentration": [[2.0, 3.0, 1.5], [0.5, 1.0, 2.0]]},
        SHARES,
        "prob log_prob covariance",
    ),
}
ABSENT = {
    "Categorical": ["mean", "variance", "stddev"],
    "Dirichlet": ["mode"],  # TensorFlow itself fails for a batch
    "Multinomial": ["mode", "entropy"],
    "Uniform": ["mode"],
}
OTHERS: dict[str, dict[str, Any]] = {
    "normal": {"loc": 2.0, "scale": 0.5},
    "gamma": {"concentration": 2.0, "rate": [1.0, 3.0]},
    "beta": {"concentration1": 1.0, "concentration0": [3.0, 0.5]},
    "bernoulli": {"logits": [-1.0, 2.0]},
    "categorical": {"logits": [[1.0, 1.0, 0.0], [3.0, 0.0, 0.0]]},
    "dirichlet": {"concentration": [1.0, 1.0, 3.0]},
}


def answers(tf: Any, name: str) -> dict[str, Any]:
    """The tensors of a case, by what is asked."""
    kind, arguments, values, formulas = CASES[name]
    made = getattr(tf.distributions, kind)(**arguments)
    found = {"sample": made.sample([2, 3], seed=17)}
    for method in OF_VALUES:
        if "all" in formulas or method in formulas.split():
            found[method] = getattr(made, method)(values)
    for method in STATISTICS:
        if method not in ABSENT.get(kind, ()):
            found[method] = getattr(made, method)()
    if "covariance" in formulas:
        found["covariance"] = made.covariance()
    if "quantile" in formulas:
        found["quantile"] = made.quantile(INSIDE)
    if name in OTHERS:
        other = getattr(tf.distributions, kind)(**OTHERS[name])
        found["kl_divergence"] = tf.distributions.kl_divergence(made, other)
        found["cross_entropy"] = made.cross_entropy(other)
    return found
