"""Distributions of `contrib`, for `golden/make_contrib_distributions.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

STATISTICS = ["mean", "mode", "variance", "stddev", "entropy"]
OF_VALUES = ["log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function"]
FLOATS = np.array([[-2.5, 0.5], [0.25, 1.5], [3.0, 9.0]], np.float32)
POSITIVE = FLOATS[1:]
LOCATED = {"loc": [0.5, -1.0], "scale": [1.0, 2.5]}
# The class, its arguments, the values that it is asked about, and what it has no formula for.
CASES: dict[str, tuple[dict[str, Any], Any, str]] = {
    "Cauchy": (LOCATED, FLOATS, "mean variance stddev"),
    "Logistic": (LOCATED, FLOATS, ""),
    "Gumbel": (LOCATED, FLOATS, ""),
    "InverseGamma": ({"concentration": [1.5, 3.0], "rate": [0.5, 2.0]}, POSITIVE, ""),
    "Chi2": ({"df": [1.5, 4.0]}, POSITIVE, ""),
    "Poisson": ({"rate": [0.5, 3.25]}, np.array([[0, 1], [2, 5]], np.float32), "entropy"),
}


def answers(distributions: Any, name: str) -> dict[str, Any]:
    """The tensors of a case, by what is asked."""
    arguments, values, absent = CASES[name]
    made = getattr(distributions, name)(*arguments.values())  # of which some were renamed
    found = {method: getattr(made, method)(values) for method in OF_VALUES}
    for method in STATISTICS:
        if method not in absent.split():
            found[method] = getattr(made, method)()
    if name in ("Cauchy", "Logistic", "Gumbel"):
        found["quantile"] = made.quantile(np.array([[0.1, 0.25], [0.5, 0.9]], np.float32))
    return found
