"""Functions that tests give to ops, and that processes of a cluster import."""

from __future__ import annotations

import os
from typing import Any

import numpy as np


def doubled(x: Any) -> Any:
    """Twice each row."""
    return x * 2


def process_of(x: Any) -> Any:
    """The number of the process, for each row."""
    return np.full(len(x), os.getpid(), np.int64)


def sum_of(x: Any) -> Any:
    """The sum of the rows."""
    return np.sum(x, 0)


def unsaid(x: Any) -> Any:
    """A function without a rule for its rows."""
    return x


doubled.splits = "n*->n*"  # type: ignore[attr-defined]
process_of.splits = "n*->n"  # type: ignore[attr-defined]
sum_of.splits = "n*->*:sum"  # type: ignore[attr-defined]
