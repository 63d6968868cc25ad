"""Folding of zero padding into the windows of the products that read it.

So no array is copied into a larger one: the product leaves out what it would multiply with zero, or
lays the zeros around the few rows that it works on.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...runtime.kernel_spec import KernelSpec
from .draft import Draft


def fold_padding(draft: Draft) -> None:
    """Pass that folds zero padding into the products that read the padded tensor.

    All readers have to be such products; it may be neither fetched nor fed.
    """
    if draft.options.exact or all(item.kernel.folding.padding is None for item in draft.work):
        return
    readers, awaited = draft.readers, draft.awaited
    gone = set()
    for place, item in enumerate(draft.work):
        if item.kernel.folding.padding is None or item.op in awaited:
            continue
        [tensor] = item.outputs
        places = readers.get(tensor, [])
        kernels = [_without_padding(draft, place, other) for other in places]
        found = [kernel for kernel in kernels if kernel is not None]
        if not found or len(found) < len(kernels):
            continue
        for other, kernel in zip(places, found, strict=True):
            product = draft.work[other]
            inputs = (item.inputs[0], *product.inputs[1:])
            folded = (*product.folded, f"within {item.op.name} ({item.op.type})")
            draft.work[other] = product._replace(kernel=kernel, inputs=inputs, folded=folded)
        gone.add(place)
    draft.work = [item for place, item in enumerate(draft.work) if place not in gone]


def _without_padding(draft: Draft, place: int, reader: int) -> KernelSpec | None:
    """Kernel of a reader that takes the unpadded input of the op at `place`; None if it has none.

    Values that are read later must not be updated meanwhile.
    """
    padding: Sequence[int] | None = draft.work[place].kernel.folding.padding
    with_padding = draft.work[reader].kernel.folding.with_padding if reader >= 0 else None
    if padding is None or with_padding is None:
        return None
    [tensor] = draft.work[place].outputs
    between = draft.work[place:reader]
    elsewhere = tensor in draft.work[reader].inputs[1:]
    if elsewhere or not all(item.op.definition.pure for item in between):
        return None
    return with_padding(padding)
