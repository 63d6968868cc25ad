"""Helpers of summary kernels: messages as results, checks of tags."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...protos.messages import Summary
from ...shape_inference.protocols import Array
from ..strings.string_arrays import strings


def serialized(summary: Summary) -> Array:
    """The message as a string of rank 0."""
    return strings([summary.SerializeToString(deterministic=True)], ())


def text_of(name: str, value: Array) -> str:
    """The one string in an input.

    Raises:
        ValueError: the input does not have rank 0, or is not valid UTF-8.
    """
    if value.ndim:
        raise ValueError(f"{name} must have rank 0, got shape {list(value.shape)}")
    return decoded(name, value.item())


def decoded(name: str, data: bytes) -> str:
    """Bytes as text.

    Raises:
        ValueError: they are not valid UTF-8, as tags must be.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{name} must be UTF-8, got {data!r}") from None


def checked_finite(name: str, tag: str, values: Array) -> Array:
    """The values in double precision.

    Raises:
        ValueError: one is not a finite number.
    """
    wide = values.astype(np.float64).ravel()
    finite = np.isfinite(wide)
    if not finite.all():
        bad = wide[int(np.argmin(finite))]
        raise ValueError(f"{name} for the histogram {tag!r} must be finite, got {bad}")
    return wide


def numbered(tag: str, kind: str, number: int, most: int) -> str:
    """The tag of one of several images or sounds: the number is left out where one is asked for."""
    return f"{tag}/{kind}" if most == 1 else f"{tag}/{kind}/{number}"


def row(shape: Sequence[int]) -> str:
    """A shape as a list, for messages."""
    return str([int(size) for size in shape])
