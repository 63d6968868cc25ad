"""Memory sizes of the tensors of a graph."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from typing import NamedTuple

from ..graph.node import Operation, Tensor
from ..protos.dtypes import DType
from ..shape_inference.tensor_shape import TensorShape

_VARIABLES = ("VariableV2", "Variable", "VarHandleOp")
_MOST_WIDEST = 5
_UNITS = ("B", "KiB", "MiB", "GiB")


class Sized(NamedTuple):
    """A tensor and its size in bytes, with unknown sizes counted as 1."""

    tensor: Tensor
    size: int


def parameters(ops: Iterable[Operation]) -> list[Sized]:
    """The constants and variables among `ops`; strings have size 0."""
    return [Sized(op.outputs[0], size) for op in ops if (size := _parameter_size(op)) is not None]


def widest(ops: Iterable[Operation]) -> list[Sized]:
    """The largest tensors that a run computes, largest first."""
    computed = (op for op in ops if _parameter_size(op) is None)
    sized = [
        Sized(t, size) for op in computed for t in op.outputs if (size := _bytes(t.dtype, t.shape))
    ]
    return heapq.nlargest(_MOST_WIDEST, sized, key=lambda item: item.size)


def bytes_text(size: int) -> str:
    """A number of bytes, abbreviated.

    Example:
        >>> from tensordraft.cli.sizes import bytes_text
        >>> bytes_text(12), bytes_text(1 << 20), bytes_text(12_345_678), bytes_text(1023 * 1024)
        ('12 B', '1 MiB', '11.8 MiB', '1023 KiB')
    """
    unit = min((max(size, 1).bit_length() - 1) // 10, 3)
    number = size / 1024**unit
    digits = f"{number:.0f}" if number >= 100 else f"{number:.3g}"
    return f"{digits} {_UNITS[unit]}"


def _parameter_size(op: Operation) -> int | None:
    if op.type == "Const":
        return _bytes(op.outputs[0].dtype, op.outputs[0].shape)
    if op.type in _VARIABLES:
        return _bytes(op.attrs["dtype"], op.attrs["shape"])
    return None


def _bytes(dtype: DType, shape: TensorShape) -> int:
    sizes = (size for size in shape.sizes or () if isinstance(size, int))
    return dtype.base_dtype.size * math.prod(sizes)
