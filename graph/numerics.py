"""Check of a run for NaN and infinity, which names the first op with such a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..protos.dtypes import bfloat16
from .references import Reference

_OTHER_FLOATS = bfloat16.numpy_dtype


class NumericsCheck:
    """Raises an error at the first non-finite result.

    Args:
        given: the contents of the slots before the first step: feeds and constants.
    """

    def __init__(self, given: Sequence[Any]) -> None:
        self._given = {slot for slot, value in enumerate(given) if _described(value)}

    def check(self, inputs: Sequence[int], results: Sequence[Any]) -> None:
        """Checks the results of a step.

        Args:
            inputs: the slots that the step reads.
            results: the results.

        Raises:
            ValueError: one of them has a NaN or an infinity.
        """
        for number, result in enumerate(results):
            # A variable is checked where it is updated: its declaration may have no value yet.
            found = _described(result) if inputs or not _is_reference(result) else ""
            if found:
                which = "the result" if len(results) == 1 else f"result {number}"
                fed = not self._given.isdisjoint(inputs)
                cause = "; a value that is fed or constant has it, too" if fed else ""
                raise ValueError(f"{which} has {found}{cause}")


def _is_reference(value: Any) -> bool:
    return value is not None and value.dtype == object and not value.ndim


def _described(value: Any) -> str:
    """Describes the non-finite values of an array or of the variable it refers to; "" if none."""
    if value is None:
        return ""
    if _is_reference(value):
        item = value.item()
        if not isinstance(item, Reference) or not item.initialized:
            return ""
        value = item.read()
    if value.dtype.kind not in "fc" and value.dtype != _OTHER_FLOATS:
        return ""
    finite = np.isfinite(value)
    if finite.all():
        return ""
    bad = ~finite
    first = [int(i) for i in np.unravel_index(int(bad.argmax()), value.shape)]
    kinds = [np.isnan(value).any() and "a NaN", np.isinf(value).any() and "an infinity"]
    what = " and ".join(kind for kind in kinds if kind)
    if not value.ndim:
        return what
    return f"{what}: {int(bad.sum()):,} of {value.size:,} elements, the first at {first}"
