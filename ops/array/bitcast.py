"""Bitcast: the same bits as numbers of another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits

public = {"td": "bitcast"}

BITCAST = OpDef(
    "Bitcast",
    "input: T -> output: type",
    "T: {bfloat16, half, float32, float64, int64, int32, uint8, uint16, uint32, uint64, int8, "
    "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}, "
    "type: {bfloat16, half, float32, float64, int64, int32, uint8, uint16, uint32, uint64, int8, "
    "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}",
    traits=Traits(splits="n*->n*"),
)


@BITCAST.shape
def _bitcast_shape(c: ShapeContext) -> TensorShape:
    source, target = c.dtype("input"), c.output_dtype
    shape = c.shape("input", min_rank=1 if source.size < target.size else 0)
    if source.size == target.size or shape.sizes is None:
        return shape
    if source.size > target.size:
        return shape.concatenate([source.size // target.size])
    _check_joined(shape.sizes[-1], source, target)
    return TensorShape.of(shape.sizes[:-1])


def _check_joined(size: Any, source: DType, target: DType) -> None:
    number = target.size // source.size
    if equal(size, number) is False:
        raise ValueError(
            f"the last dimension of input has size {size}, where {number} {source.name} make one "
            f"{target.name}"
        )


@BITCAST.view_kernel
def _bitcast_kernel(c: KernelContext) -> Kernel:
    source, target = c.dtype("input"), c.output_dtype
    dtype = target.numpy_dtype

    def reinterpret(x: Array) -> Array:
        return x.view(dtype)

    def split(x: Array) -> Array:
        return x[..., np.newaxis].view(dtype)

    def join(x: Array) -> Array:
        if not x.ndim:
            raise ValueError("input must have rank at least 1, got shape ()")
        _check_joined(x.shape[-1], source, target)
        if x.strides[-1] != source.size:
            x = np.ascontiguousarray(x)
        return x.view(dtype).reshape(x.shape[:-1])

    if source.size == target.size:
        return reinterpret
    return split if source.size > target.size else join


def bitcast(input: TensorLike, type: Any, name: str | None = None) -> Tensor:
    """The bits of `input`, read as numbers of another dtype.

    A wider dtype is split along a new last axis; a narrower one is joined along the last axis,
    which goes. The order of the parts is that of the processor's bytes. Like NumPy's `view`, but
    that it makes and takes an axis.

    Args:
        input: a tensor of a numeric dtype; to join it, its last axis must have the size
            `size of type / size of the dtype of input`.
        type: the dtype of the result.
        name: a name for the op.

    Returns:
        A Tensor, whose shape is that of `input`, with an axis more or less if the dtypes differ in
        size.

    Raises:
        TypeError: the dtype of `input` is bool or string.
        ValueError: `type` is, or the last axis is not of the size that one number is made of.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.bitcast([1.0, -2.0], td.uint32)))
        ...     print(td.bitcast(td.placeholder(td.uint8, ["batch", 4]), td.float32).shape)
        [1065353216 3221225472]
        (batch,)
    """
    return BITCAST(input, type=type, name=name)
