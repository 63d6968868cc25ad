"""Functions on the bits of integers: `td.bitwise`."""

from __future__ import annotations

from ..graph.surface.namespace import public_names as _public_names
from ..ops.math.bitwise import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    invert as invert,
    left_shift as left_shift,
    population_count as population_count,
    right_shift as right_shift,
)


def __dir__() -> list[str]:
    return _public_names(globals())
