"""Kernels that round in another way take the place of others, where they are quicker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .draft import Constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .draft import Draft, Source


def use_quicker_forms(draft: Draft) -> None:
    """The pass that takes the quicker form of a kernel, unless each op is to round as it does.

    Constants of which it reads the shape alone, since it has others made of them, are let go.
    """
    if draft.exact:
        return
    for place, item in enumerate(draft.work):
        if item.kernel.quicker is not None:
            kernel = item.kernel.quicker()
            inputs = _without_contents(item.inputs, kernel.shape_alone)
            draft.work[place] = item._replace(kernel=kernel, inputs=inputs)


def _without_contents(inputs: Sequence[Source], positions: Sequence[int]) -> tuple[Source, ...]:
    found = list(inputs)
    for i in positions:
        source = found[i]
        if isinstance(source, Constant):
            empty = np.zeros((), source.array.dtype)
            found[i] = Constant(np.broadcast_to(empty, source.array.shape))
    return tuple(found)
