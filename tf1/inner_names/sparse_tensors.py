"""Names of `tensorflow.python.framework.sparse_tensor`."""

from __future__ import annotations

from typing import Any

from ...graph.sparse_tensor import SparseTensor, SparseTensorValue


def is_sparse(x: Any) -> bool:
    """True for a SparseTensor and for the value of one."""
    return isinstance(x, SparseTensor | SparseTensorValue)
