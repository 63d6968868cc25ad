"""Kernels that round in another way take the place of others, where they are quicker."""

from __future__ import annotations

from .draft import Draft


def use_quicker_forms(draft: Draft) -> None:
    """The pass that takes the quicker form of a kernel, unless each op is to round as it does."""
    if draft.exact:
        return
    for place, item in enumerate(draft.work):
        if item.kernel.fast_variant is not None:
            draft.work[place] = item.by(item.kernel.fast_variant())
