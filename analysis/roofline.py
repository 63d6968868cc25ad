"""Roofline estimate of run time: measures the machine and compares each op with it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..graph.graph import Graph
from ..ops.array.placeholder import placeholder
from ..ops.linalg.matmul import matmul
from ..session.session import Session
from .cost import Cost

public = {"td": "Machine"}

_MATRIX = 512
_FLOATS = 1 << 22  # 16 MiB: more than a cache holds
_WINDOWS, _CHANNELS = 24, 4096  # of windows that see 9 positions: as much as a cache holds
_OPS = 50
_TRIALS = 5


class Machine(NamedTuple):
    """Peak rates of a machine: the roofline of every op.

    Attributes:
        flops_per_second: operations on float32 in a product of matrices.
        bytes_per_second: bytes that are read or written in a pass over memory.
        seconds_per_op: what calling an op takes, however small its tensors are.
        others_per_second: operations on float32 that are not matrix products, such as those of
            depthwise convolutions, on what is in the cache.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [1000, 1000], name="x")
        ...     y = td.matmul(x, x, name="y")
        >>> machine = td.Machine(2e10, 1e10, 1e-6)
        >>> round(machine.seconds(td.cost(graph)), 4)
        0.1
    """

    flops_per_second: float
    bytes_per_second: float
    seconds_per_op: float
    others_per_second: float = math.inf

    @classmethod
    def measured(cls) -> Machine:
        """This machine, now; takes about a tenth of a second."""
        matrix = np.ones((_MATRIX, _MATRIX), np.float32)
        product = np.empty_like(matrix)
        numbers = np.ones(_FLOATS, np.float32)
        result = np.empty_like(numbers)
        product_seconds = _fastest(lambda: np.matmul(matrix, matrix, out=product))
        pass_seconds = _fastest(lambda: np.add(numbers, 1, out=result))
        windows = np.ones((_WINDOWS, 9, _CHANNELS), np.float32)
        taps, sums = windows[0], np.empty((_WINDOWS, _CHANNELS), np.float32)
        sum_seconds = _fastest(lambda: np.einsum("nil,il->nl", windows, taps, out=sums))
        return cls(
            2 * _MATRIX**3 / product_seconds,
            8 * _FLOATS / pass_seconds,
            _seconds_per_op(),
            2 * windows.size / sum_seconds,
        )

    def seconds(self, cost: Cost) -> float:
        """Lower bound of the run time, op by op: limited by operations or by bytes.

        Args:
            cost: the cost, with numbers for all sizes.

        Raises:
            ValueError: the cost still depends on sizes.
        """
        total = 0.0
        for row in cost.by_op:
            if not isinstance(row.flops, int) or not isinstance(row.bytes, int):
                raise ValueError(f"{row.name!r} costs {row.flops}: give each size a number")
            rate = self.flops_per_second if row.products else self.others_per_second
            work = max(row.flops / rate, row.bytes / self.bytes_per_second)
            total += work + self.seconds_per_op
        return total


def _seconds_per_op() -> float:
    """Time per op for many ops on tiny tensors."""
    with Graph().as_default() as graph, Session(graph=graph) as session:
        first = last = placeholder("float32", [4, 4])
        for _ in range(_OPS):
            last = matmul(last, last)
        call, value = session.make_callable(last, [first]), np.eye(4, dtype=np.float32)
        return _fastest(lambda: call(value)) / _OPS


def _fastest(function: Callable[[], object]) -> float:
    times = []
    for _ in range(_TRIALS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
