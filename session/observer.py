"""Watching one run of a plan, to make the next ones faster."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..graph.node import Operation
from .plan import Step


class Observed(NamedTuple):
    """Shape and dtype of a slot's value in an earlier run."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Observer:
    """Records the contents of a plan's slots, and the time of each op.

    Args:
        values: what the slots hold before the first step.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.values: dict[int, Observed] = {}
        self.seconds: dict[Operation, float] = {}
        self.look_at(values)
        self._last = time.perf_counter()

    def look_at(self, values: Iterable[Any]) -> None:
        """Records the contents of the slots."""
        for slot, array in enumerate(values):
            if array is not None:
                self.values[slot] = Observed(array.shape, array.dtype)

    def __call__(self, step: Step, results: Sequence[Any]) -> None:
        """Records the results of a step."""
        seconds = time.perf_counter() - self._last
        self.seconds[step.op] = self.seconds.get(step.op, 0.0) + seconds
        for slot, array in zip(step.outputs, results, strict=False):
            if slot >= 0:
                self.values[slot] = Observed(array.shape, array.dtype)
        self._last = time.perf_counter()
