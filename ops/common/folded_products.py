"""Products along rows, by repeated pairwise multiplication of columns."""

from __future__ import annotations

import math

import numpy as np

from ...shape_inference.protocols import Array

_FOLDS = 8
_SHORTEST = 64  # elements


def folded(x: Array, number: int) -> Array:
    """Merges the last axes into one, in which each element is a partial product.

    NumPy multiplies the elements of a row one after the other, each waiting for the one before;
    rows it multiplies side by side.
    """
    x = x.reshape(*x.shape[: x.ndim - number], math.prod(x.shape[x.ndim - number :]))
    while (length := x.shape[-1] // _FOLDS) >= _SHORTEST:
        parts = x[..., : length * _FOLDS].reshape(*x.shape[:-1], _FOLDS, length)
        rest = x[..., length * _FOLDS :]
        x = np.multiply.reduce(parts, -2, x.dtype)
        x[..., : rest.shape[-1]] *= rest
    return x
