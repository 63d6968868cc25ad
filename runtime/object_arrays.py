"""Arrays of Python objects, as strings and resources are held in."""

from __future__ import annotations

from typing import Any

import numpy as np


def object_scalar(item: Any) -> Any:
    """Array of rank 0 that holds an object, even one that NumPy would take for a sequence."""
    array = np.empty((), object)
    array[()] = item
    return array


def handle_to(item: Any) -> Any:
    """Read-only array of rank 0 that refers to a resource: what a slot of a plan holds for it."""
    handle = object_scalar(item)
    handle.flags.writeable = False
    return handle
