"""Names of `tensorflow.python.ops.string_ops`."""

from __future__ import annotations

from ...ops.ragged.ragged_strings import bytes_split
from ...ops.strings.format import format as string_format

__all__ = ["string_bytes_split", "string_format"]

string_bytes_split = bytes_split
