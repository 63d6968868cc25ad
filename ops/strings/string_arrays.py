"""Arrays of strings, and what errors call their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kit.allocation import check_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...shape_inference.protocols import Array


def strings(items: Iterable[bytes], shape: Sequence[int]) -> Array:
    """A new array of strings."""
    result = np.empty(check_size(shape, np.dtype(object)), object)
    result.reshape(-1)[:] = list(items)
    return result


def place_of(name: str, index: int, shape: tuple[int, ...]) -> str:
    """Which element number `index` is, as `name[0,1]`."""
    at = ",".join(map(str, np.unravel_index(index, shape)))
    return f"{name}[{at}]" if at else name
