"""Names of `tensorflow.python.ops.ragged` for what `td.ragged` and `td.strings` have."""

from __future__ import annotations

from typing import Any

from ...ops.ragged.ragged_strings import bytes_split
from ...ops.ragged.ragged_tensor import RaggedTensor
from ...ops.ragged.ragged_value import RaggedTensorValue

__all__ = ["RaggedTensor", "RaggedTensorValue"]

string_bytes_split = bytes_split


def is_ragged(value: Any) -> bool:
    """True for a ragged tensor and for the value of one."""
    return isinstance(value, RaggedTensor | RaggedTensorValue)
