"""Weights of a TensorFlow.js model on disk: files of at most 4 MiB, and the manifest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .weights import Array

SHARD_BYTES = 1 << 22
QUANTIZATIONS = ("float16", "uint8", "uint16")

_LEAST = 256  # elements: what fewer would save does not make up for what they lose
_STORED = {"float32": "<f4", "int32": "<i4", "bool": "|u1", "complex64": "<c8"}


def write_shards(
    weights: Mapping[str, Array], folder: str, quantize: str | None
) -> list[dict[str, Any]]:
    """Writes weights; returns the manifest.

    Args:
        weights: arrays of float32, int32, bool and complex64, or of bytes objects, by name.
        folder: where to write.
        quantize: the dtype to which large float32 weights are rounded: one of QUANTIZATIONS; None
            to write all as they are.
    """
    entries: list[dict[str, Any]] = []
    stored: list[Array | bytes] = []
    for name, array in weights.items():
        entry: dict[str, Any] = {"name": name, "shape": list(array.shape), "dtype": "string"}
        if array.dtype == object:
            texts = [bytes(text) for text in array.reshape(-1)]
            content: Array | bytes = b"".join(
                len(text).to_bytes(4, "little") + text for text in texts
            )
        else:
            entry["dtype"] = array.dtype.name
            rounded = _rounded(array, quantize)
            if rounded is None:
                content = array.astype(_STORED[array.dtype.name], copy=False)
            else:
                content, entry["quantization"] = rounded
        entries.append(entry)
        stored.append(content)
    total = sum(map(_size, stored))
    number = max(1, -(-total // SHARD_BYTES))
    paths = [f"group1-shard{place + 1}of{number}.bin" for place in range(number)]
    rest = iter(stored)
    left = memoryview(b"")
    for path in paths:
        with open(os.path.join(folder, path), "xb") as file:
            room = SHARD_BYTES
            while room:
                if not left:
                    following = next(rest, None)
                    if following is None:
                        break
                    left = _bytes(following)
                    continue
                file.write(left[:room])
                written = min(room, len(left))
                left, room = left[written:], room - written
    return [{"paths": paths, "weights": entries}]


def _size(content: Array | bytes) -> int:
    return len(content) if isinstance(content, bytes) else content.nbytes


def _bytes(content: Array | bytes) -> memoryview:
    if isinstance(content, bytes):
        return memoryview(content)
    return np.ascontiguousarray(content).reshape(-1).view(np.uint8).data


def _rounded(array: Array, quantize: str | None) -> tuple[Array, dict[str, Any]] | None:
    """An array in fewer bits, and how it is restored; None where it stays as it is."""
    if quantize is None or array.dtype != np.float32 or array.size < _LEAST:
        return None
    low, high = float(array.min()), float(array.max())
    if not np.isfinite([low, high]).all():
        return None
    if quantize == "float16":
        limit = float(np.finfo(np.float16).max)
        if max(-low, high) > limit:
            return None
        return array.astype("<f2"), {"dtype": "float16", "original_dtype": "float32"}
    dtype = np.dtype(quantize).newbyteorder("<")
    steps = int(np.iinfo(dtype).max)
    scale = (high - low) / steps
    if scale == 0:
        scale = 1.0
    elif low <= 0 <= high:
        low = -round(-low / scale) * scale  # so that 0 stays 0
    codes = np.clip(np.rint((array.astype(np.float64) - low) / scale), 0, steps).astype(dtype)
    how = {"dtype": quantize, "min": low, "scale": scale, "original_dtype": "float32"}
    return codes, how
