"""Names of `tensorflow.python.ops.linalg.linalg_impl`."""

from __future__ import annotations

from ...ops.linalg.matrix_exponential import expm

matrix_exponential = expm
