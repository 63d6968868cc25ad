"""Pools of images that leave their work to machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import Accelerated, KernelSpec, Memory
from ..kit.allocation import new_array
from .pooling_rules import axes_pooled, pooled_sizes
from .window_loops import pooling_loop, positions_of_piece, run_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window

# Each position looks at its whole window, which for a large one takes longer than one dimension
# after the other.
_LARGEST_WINDOW = 25
_SPACE = {1, 2}


def with_pooling_loop(
    pool: Callable[[Array], Array],
    windows: Sequence[Window],
    dtype: np.dtype[Any],
    start: float,
    mean: bool,
) -> KernelSpec:
    """The kernel of a pool, which may leave its work to machine code.

    Args:
        pool: the kernel by NumPy.
        windows: one for each dimension.
        dtype: of the elements.
        start: what combining starts with.
        mean: whether it is the mean, else the maximum.
    """
    kernel = KernelSpec(pool, Memory.FRESH)
    axes = set(axes_pooled(windows))
    in_space = len(windows) == 4 and axes <= _SPACE and axes
    loop = pooling_loop(dtype, mean) if in_space else None
    if loop is None or windows[1].size * windows[2].size > _LARGEST_WINDOW:
        return kernel

    def by_machine(loop: Callable[..., None]) -> KernelSpec:
        def pool_by_machine(x: Array) -> Array:
            sizes = [int(size) for size in pooled_sizes(windows, x.shape)]
            if 0 in sizes:
                return pool(x)
            result = new_array(sizes, x.dtype)
            together = positions_of_piece(sizes, windows[2])
            arrays = [np.ascontiguousarray(x)]
            run_loop(loop, arrays, start, windows[1:3], result, together)
            return result

        return KernelSpec(pool_by_machine, Memory.FRESH)

    return kernel.with_accelerated(Accelerated(loop, by_machine))
