"""Kernels whose loops are there as machine code take the place of others, when a plan is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...acceleration.accelerator import accelerator
from .draft import Acceleration

if TYPE_CHECKING:
    from .draft import Draft


def use_machine_code(draft: Draft) -> None:
    """The pass that chooses kernels which leave their work to machine code.

    They round in another way. So they are chosen here, for as long as the plan lives: what is
    compiled later serves plans that are made later.
    """
    if draft.exact or draft.deterministic:
        return
    for place, item in enumerate(draft.work):
        accelerated = item.kernel.accelerated
        if accelerated is None:
            continue
        function = accelerator.ready(accelerated.loop)
        kernel = item.kernel if function is None else accelerated.kernel(function)
        draft.work[place] = item._replace(
            kernel=kernel, acceleration=Acceleration(accelerated.loop, function is not None)
        )
