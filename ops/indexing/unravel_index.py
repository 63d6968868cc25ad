"""Index arithmetic: unravel_index, and the axes of image layouts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Elementwise
from ..common.allocation import check_size

public = {"td": "unravel_index"}

UNRAVEL_INDEX = OpDef(
    "UnravelIndex", "indices: Tidx, dims: Tidx -> output: Tidx", "Tidx: {int32, int64} = int32"
)
_FORMATS = "T: {int32, int64} = int32, src_format: string = 'NHWC', dst_format: string = 'NCHW'"
DATA_FORMAT_DIM_MAP = OpDef("DataFormatDimMap", "x: T -> y: T", _FORMATS, traits=Elementwise())
DATA_FORMAT_VEC_PERMUTE = OpDef("DataFormatVecPermute", "x: T -> y: T", _FORMATS)


@UNRAVEL_INDEX.shape
def _unravel_index_shape(c: ShapeContext) -> TensorShape:
    return c.shape("dims", rank=1) + c.shape("indices", max_rank=1)


@UNRAVEL_INDEX.fresh_kernel
def _unravel_index_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def unravel(indices: Array, dims: Array) -> Array:
        if indices.ndim > 1 or dims.ndim != 1:
            raise ValueError(
                "indices must be a scalar or a vector and dims a vector, got shapes "
                f"{list(indices.shape)} and {list(dims.shape)}"
            )
        sizes = dims.tolist()
        if min(sizes, default=1) < 1:
            raise ValueError(f"dims must be at least 1, got {sizes}")
        outside = (indices < 0) | (indices >= math.prod(sizes))
        if outside.any():
            first = indices.reshape(-1)[int(outside.argmax())]
            raise ValueError(f"indices = {first} is not in [0, {math.prod(sizes)})")
        result = np.empty(check_size((len(sizes), *indices.shape), dtype), dtype)
        rest = indices
        for i in reversed(range(len(sizes))):
            rest, result[i] = np.divmod(rest, sizes[i])
        return result

    return unravel


def _order(c: OpContext) -> list[int]:
    """For each letter of the destination, its position in the source.

    Raises:
        ValueError: the formats are not made of the same letters.
    """
    source, destination = (
        c.attr(name).decode(errors="replace") for name in ("src_format", "dst_format")
    )
    if sorted(source) != sorted(destination) or len(source) not in (4, 5):
        raise ValueError(
            "src_format and dst_format must hold the same 4 or 5 letters, got "
            f"{source!r} and {destination!r}"
        )
    if len(set(source)) != len(source):
        raise ValueError(f"src_format must not repeat a letter, got {source!r}")
    return [source.index(letter) for letter in destination]


@DATA_FORMAT_DIM_MAP.shape
def _dim_map_shape(c: ShapeContext) -> TensorShape:
    _order(c)
    return c.shape("x")


@DATA_FORMAT_DIM_MAP.fresh_kernel
def _dim_map_kernel(c: KernelContext) -> Kernel:
    to = np.argsort(_order(c)).astype(c.output_dtype.numpy_dtype)

    def dim_map(x: Array) -> Array:
        if x.size and (x.min() < -len(to) or x.max() >= len(to)):
            raise ValueError(f"x must be in [{-len(to)}, {len(to)}), got {x.ravel()[:5].tolist()}")
        return np.asarray(to[x])

    return dim_map


@DATA_FORMAT_VEC_PERMUTE.shape
def _vec_permute_shape(c: ShapeContext) -> TensorShape:
    order, shape = _order(c), c.shape("x", min_rank=1, max_rank=2)
    if shape.sizes is not None and isinstance(shape.sizes[0], int):
        _check_rows(shape.sizes[0], len(order))
    return shape


def _check_rows(number: int, letters: int) -> None:
    if number not in (letters, letters - 2):
        raise ValueError(f"x must have {letters} or {letters - 2} rows, got {number}")


@DATA_FORMAT_VEC_PERMUTE.fresh_kernel
def _vec_permute_kernel(c: KernelContext) -> Kernel:
    order = _order(c)
    source = c.attr("src_format").decode()
    # The same for the spatial dimensions only.
    spatial = [i for i in range(len(source)) if source[i] not in "NC"]
    inner = [spatial.index(i) for i in order if i in spatial]

    def vec_permute(x: Array) -> Array:
        if x.ndim not in (1, 2) or (x.ndim == 2 and x.shape[1] != 2):
            raise ValueError(f"x must have shape [n] or [n,2], got {list(x.shape)}")
        _check_rows(len(x), len(order))
        return x[order if len(x) == len(order) else inner]

    return vec_permute


def unravel_index(indices: TensorLike, dims: Any, name: str | None = None) -> Tensor:
    """The indices in several dimensions of elements that are counted row by row.

    Args:
        indices: an int32 or int64 tensor of rank 0 or 1: the numbers of elements.
        dims: a vector of the same dtype: the shape that they are elements of.
        name: a name for the op.

    Returns:
        A Tensor [len(dims)] or [len(dims), n]: where NumPy returns a tuple, its rows.

    Raises:
        InvalidArgumentError: when it runs, an element is outside of the shape.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.unravel_index([2, 5], [3, 2])))
        [[1 2]
         [0 1]]
    """
    return UNRAVEL_INDEX(indices, dims, name=name)
