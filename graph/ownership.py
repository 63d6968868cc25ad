"""Whether nobody else refers to the memory of an array, so that a result may be written into it."""

from __future__ import annotations

from functools import cache
from sys import getrefcount
from typing import Any

import numpy as np

Arrays = tuple[np.ndarray[Any, Any], ...]


def only_argument(arrays: Arrays, position: int) -> bool:
    """Whether the memory of an argument is known to nobody but the caller of a kernel.

    A view, a cache, a feed or a variable that shares the memory holds a reference, and shows in
    the count; NumPy reuses its temporaries by the same sign. Where something else counts, such
    as a debugger, the memory is not reused, and that is all.

    Args:
        arrays: the arguments of an instance that is called by a lowered plan, as they are.
        position: of which argument.
    """
    own, of_base = _usual_references()
    if not arrays[position].flags.writeable or getrefcount(arrays[position]) > own:
        return False
    base = arrays[position].base
    if base is None:
        return True
    return type(base) is np.ndarray and base.base is None and getrefcount(base) <= of_base


class _Kernel:
    """Called as an argument-counting kernel is, so that what the call itself adds is known."""

    def __call__(self, *arrays: Any) -> tuple[int, int]:
        return _counted(arrays)


def _counted(arrays: Arrays) -> tuple[int, int]:
    base = arrays[1].base
    return getrefcount(arrays[0]), getrefcount(base)


@cache
def _usual_references() -> tuple[int, int]:
    """The counts for an argument, and for the base of one, to which nobody else refers."""
    kernel = _Kernel()

    def run() -> tuple[int, int]:
        array = np.empty((1, 1))
        view = np.empty((1, 1)).reshape(1)
        return kernel(array, view)

    # The interpreter changes how it calls once it has warmed up.
    counts = [run() for _ in range(100)]
    return min(count for count, _ in counts), min(count for _, count in counts)
