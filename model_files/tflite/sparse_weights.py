"""Sparse constants of TensorFlow Lite, as dense arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...protos.config import config
from ...shape_inference.protocols import Array
from .flatbuffer import MalformedError, Table

_DENSE, _SPARSE = 0, 1
_VECTORS = ("", "Int32Vector", "Uint16Vector", "Uint8Vector")


def densified(sparsity: Table, stored: Array, shape: Sequence[int], name: str) -> Array:
    """The dense array of a sparse constant.

    The dimensions, and behind them those of blocks that some are cut into, are stored in an order
    of their own, as a tree: each level is dense, or lists which of its indices there are.

    Args:
        sparsity: how the values are laid out.
        stored: the values.
        shape: the shape of the dense array.
        name: the name of the constant, for errors.

    Raises:
        MalformedError: the layout contradicts itself.
    """
    order, blocks = list(sparsity["traversal_order"]), list(sparsity["block_map"])
    levels = list(sparsity["dim_metadata"])
    rank = len(shape)
    bad = MalformedError(f"the sparse constant {name!r} has a layout that contradicts itself")
    if sorted(order) != list(range(rank + len(blocks))) or len(levels) != len(order):
        raise bad
    if any(not 0 <= block < rank for block in blocks) or len(set(blocks)) < len(blocks):
        raise bad
    sizes = [0] * len(order)
    indices: list[Array] = []
    count = 1
    for level, table in zip(order, levels, strict=True):
        if table["format"] == _DENSE:
            size = table["dense_size"]
            if size < 0 or count * size > max(math.prod(shape), len(stored), 1):
                raise bad
            indices = [np.repeat(index, size) for index in indices]
            indices.append(np.tile(np.arange(size), count))
            count *= size
        else:
            segments, found = (_vector(table, key) for key in ("array_segments", "array_indices"))
            lengths = np.diff(segments)
            if len(segments) != count + 1 or (lengths < 0).any() or len(found) != lengths.sum():
                raise bad
            if len(found) and found.min() < 0:
                raise bad
            indices = [np.repeat(index, lengths) for index in indices]
            indices.append(found.astype(np.int64))
            count = len(found)
            size = -1
        sizes[level] = size
    if len(stored) != count:
        raise bad
    at = dict(zip(order, indices, strict=True))
    places = [at[axis] for axis in range(rank)]
    for number, axis in enumerate(blocks):
        size = sizes[rank + number]
        if size < 1:
            raise bad
        places[axis] = places[axis] * size + at[rank + number]
    if math.prod(shape) * stored.itemsize > config.max_tensor_bytes:
        raise bad
    result = np.zeros(shape, stored.dtype)
    if any(len(p) and p.max() >= size for p, size in zip(places, shape, strict=True)):
        raise bad
    result[tuple(places)] = stored
    return result


def _vector(table: Table, key: str) -> Array:
    number = table[f"{key}_type"]
    if not 0 < number < len(_VECTORS):
        return np.zeros(0, np.int64)
    vector = table.union(key, _VECTORS[number])
    return np.array([] if vector is None else vector["values"], np.int64)
