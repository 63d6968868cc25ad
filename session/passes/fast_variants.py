"""Replacement of kernels by faster ones that round differently."""

from __future__ import annotations

from .draft import Draft


def use_fast_variants(draft: Draft) -> None:
    """Pass that takes the fast variant of kernels, unless results must be exact."""
    if draft.options.exact:
        return
    for place, item in enumerate(draft.work):
        if item.kernel.fast_variant is not None:
            draft.work[place] = item.by(item.kernel.fast_variant())
