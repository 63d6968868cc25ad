"""Shapes and dtypes of the tensors of a checkpoint, from its index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...protos.dtypes import DType


class Entries:
    """Base of readers whose index has an entry for each tensor."""

    _entries: Mapping[str, Any]

    def shapes(self) -> dict[str, list[int]]:
        """The shapes of all tensors, by name."""
        return {name: list(entry.shape) for name, entry in self._entries.items()}

    def dtypes(self) -> dict[str, DType]:
        """The dtypes of all tensors, by name."""
        return {name: entry.dtype for name, entry in self._entries.items()}
