"""64-bit fingerprints of rows: fingerprint."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from .farm_hash import fingerprints64

public = {"td": "fingerprint"}

FINGERPRINT = OpDef("Fingerprint", "data: T, method: string -> fingerprint: uint8", "T: type")


@FINGERPRINT.shape
def _fingerprint_shape(c: ShapeContext) -> TensorShape:
    c.shape("method", rank=0)
    return c.shape("data", min_rank=1)[:1] + TensorShape([8])


@FINGERPRINT.fresh_kernel
def _fingerprint_kernel(c: KernelContext) -> Kernel:

    def fingerprint(data: Array, method: Array) -> Array:
        if not data.ndim:
            raise ValueError("data must have rank at least 1, got a scalar")
        if method.ndim or method.item() != b"farmhash64":
            raise ValueError(f"method must be 'farmhash64', got {method.tolist()!r}")
        rows = data.reshape(len(data), -1) if data.size else data.reshape(len(data), 0)
        marks = fingerprints64([_bytes(row) for row in rows])
        return marks.astype("<u8").view(np.uint8).reshape(len(marks), 8)

    return fingerprint


def _bytes(row: Array) -> bytes:
    """Bytes of a row to fingerprint; for several strings, the fingerprints of each."""
    if row.dtype != object:
        return row.tobytes()
    items = row.tolist()
    if len(items) == 1:
        return bytes(items[0])
    return fingerprints64(items).astype("<u8").tobytes()


def fingerprint(data: TensorLike, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """The fingerprint of each row of a tensor, the same everywhere and for ever.

    Args:
        data: a tensor of rank 1 or more, of any dtype.
        method: "farmhash64", the only one there is.
        name: a name for the op.

    Returns:
        A uint8 Tensor [rows, 8]: the bytes of a number of 64 bits, the lowest first.

    Raises:
        InvalidArgumentError: when it runs, the method is another.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.fingerprint(["a"]))[0].tobytes().hex()
        'e375dfb6654245b3'
    """
    return FINGERPRINT(data, method, name=name)
