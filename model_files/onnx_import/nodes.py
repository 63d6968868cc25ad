"""Construction of TensorFlow's ops: the vocabulary of the rules of translation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...graph.constant_value import constant_value
from ...graph.node import Tensor
from ...graph.registry import lookup
from ...protos import dtypes
from ...protos.dtypes import DType
from ...shape_inference.protocols import Array
from ...shape_inference.tensor_shape import TensorShape
from .tensors import MalformedError, UnsupportedError

# Wider dtypes, in which ops compute that do not take a narrower one.
_WIDER = {
    "bfloat16": (dtypes.float32,),
    "float16": (dtypes.float32,),
    "float64": (dtypes.float32,),
    "int8": (dtypes.int32, dtypes.float32),
    "int16": (dtypes.int32, dtypes.float32),
    "int32": (dtypes.int64, dtypes.float64, dtypes.float32),
    "int64": (dtypes.float64,),
    "uint8": (dtypes.int32, dtypes.float32),
    "uint16": (dtypes.int32, dtypes.float32),
    "uint32": (dtypes.int64, dtypes.float64),
    "uint64": (dtypes.int64, dtypes.float64),
    "bool": (dtypes.uint8, dtypes.int32, dtypes.float32),
}


def apply(op_type: str, *inputs: Any, **attrs: Any) -> Any:
    """The result of an op of TensorFlow."""
    return lookup(op_type)(*inputs, **attrs)


def cast(x: Tensor, dtype: DType) -> Tensor:
    """A tensor in another dtype."""
    result: Tensor = x if x.dtype is dtype else apply("Cast", x, DstT=dtype)
    return result


def wide(op_type: str, *inputs: Any, **attrs: Any) -> Any:
    """The result of an op, which computes in a wider dtype where it does not take this one.

    The first input has the dtype; other tensors of the same dtype are converted with it.
    """
    dtype = inputs[0].dtype
    taken = _taken(op_type)
    if taken is None or dtype in taken:
        return apply(op_type, *inputs, **attrs)
    wider = next((x for x in _WIDER.get(dtype.name, (dtypes.float32,)) if x in taken), None)
    if wider is None:
        raise MalformedError(f"it does not take the element type {dtype.name}")
    result = apply(op_type, *(_converted(x, dtype, wider) for x in inputs), **attrs)
    if isinstance(result, Tensor):
        return cast(result, dtype) if result.dtype is wider else result
    return [cast(x, dtype) if x.dtype is wider else x for x in result]


def _converted(x: Any, dtype: DType, wider: DType) -> Any:
    if isinstance(x, Tensor):
        return cast(x, wider) if x.dtype is dtype else x
    array = np.asarray(x)
    return array.astype(wider.numpy_dtype) if array.dtype == dtype.numpy_dtype else x


@cache
def _taken(op_type: str) -> tuple[DType, ...] | None:
    """The dtypes of an op's first input; None if it takes all."""
    signature = lookup(op_type).signature
    attr = signature.inputs[0].type_attr
    return signature.attrs[attr].allowed if attr is not None else (signature.inputs[0].dtype,)


def number(x: Tensor, value: float) -> Array:
    """A number in the dtype of a tensor."""
    return np.asarray(value).astype(x.dtype.numpy_dtype)


def ints(values: Iterable[int]) -> Array:
    """A constant vector of integers."""
    return np.array(list(values), np.int64)


def rank_of(x: Tensor) -> int:
    """The rank of a tensor.

    Raises:
        MalformedError: it is not known.
    """
    if x.shape.ndims is None:
        raise UnsupportedError(f"the rank of its input {x.op.name!r} is not known: not supported")
    return x.shape.ndims


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front.

    Raises:
        MalformedError: there is no such axis.
    """
    if not -rank <= axis < max(rank, 1):
        raise MalformedError(f"axis must be in [{-rank}, {rank}), got {axis}")
    return axis % max(rank, 1)


def static_shape(x: Tensor) -> list[int] | None:
    """The shape of a tensor; None if not all of it is known."""
    sizes: list[Any] = x.shape.as_list() if x.shape.ndims is not None else [None]
    return None if None in sizes else sizes


def shape_of(x: Tensor) -> Any:
    """The shape of a tensor, as a constant or a tensor of int64."""
    sizes = static_shape(x)
    return ints(sizes) if sizes is not None else apply("Shape", x, out_type=dtypes.int64)


def size_of(x: Tensor, axis: int) -> Any:
    """A size of a tensor: an int, or a scalar tensor of int64."""
    if x.shape.ndims is not None:
        size = x.shape.as_list()[axis]
        if size is not None:
            return size
    shape = apply("Shape", x, out_type=dtypes.int64)
    return element(shape, axis)


def part_of(sizes: Any, start: int, stop: int | None = None) -> Any:
    """Some sizes of a shape, which is a constant or a tensor."""
    if not isinstance(sizes, Tensor):
        return sizes[start:stop]
    return apply("Slice", sizes, [start], [-1 if stop is None else stop - start])


def element(vector: Tensor, index: int) -> Tensor:
    """An element of a vector."""
    stop = index + 1 if index != -1 else 0
    masks = {"shrink_axis_mask": 1, "end_mask": 1 if index == -1 else 0}
    result: Tensor = apply("StridedSlice", vector, [index], [stop], [1], **masks)
    return result


def as_size(size: Any) -> Any:
    """A size as what an op takes: an int64, or a scalar tensor."""
    return size if isinstance(size, Tensor) else np.int64(size)


def cast_size(size: Any) -> Any:
    """A size as an int32."""
    return cast(size, dtypes.int32) if isinstance(size, Tensor) else np.int32(size)


def vector(sizes: Sequence[Any]) -> Any:
    """A vector of sizes, which are ints or scalar tensors."""
    if not any(isinstance(size, Tensor) for size in sizes):
        return ints(sizes)
    items = [x if isinstance(x, Tensor) else np.int64(x) for x in sizes]
    return apply("Pack", [cast(x, dtypes.int64) if isinstance(x, Tensor) else x for x in items])


def joined(*parts: Any) -> Any:
    """A vector of the elements of several."""
    if not any(isinstance(part, Tensor) for part in parts):
        return np.concatenate([np.asarray(part, np.int64) for part in parts])
    left = [x for x in parts if isinstance(x, Tensor) or len(x)]
    return left[0] if len(left) == 1 else apply("ConcatV2", left, np.int32(0))


def reshape(x: Tensor, sizes: Any) -> Tensor:
    """A tensor in another shape: a vector, or ints and scalar tensors."""
    result: Tensor = apply("Reshape", x, vector(sizes) if isinstance(sizes, list) else sizes)
    return result


def transpose(x: Tensor, perm: Sequence[int]) -> Tensor:
    """A tensor with its axes in another order."""
    if list(perm) == list(range(len(perm))):
        return x
    result: Tensor = apply("Transpose", x, np.array(perm, np.int32))
    return result


def expand(x: Tensor, axes: Iterable[int]) -> Tensor:
    """A tensor with axes of size 1, counted in the result."""
    for axis in sorted(axes):
        x = apply("ExpandDims", x, np.int32(axis))
    return x


def squeeze(x: Tensor, axes: Iterable[int]) -> Tensor:
    """A tensor without axes of size 1."""
    result: Tensor = apply("Squeeze", x, squeeze_dims=list(axes))
    return result


def concat(parts: Sequence[Any], axis: int) -> Tensor:
    """Tensors joined along an axis."""
    if len(parts) == 1:
        return apply("Identity", parts[0])
    return apply("ConcatV2", list(parts), np.int32(axis))


def cut(x: Tensor, axis: int, start: int, stop: int | None) -> Tensor:
    """Part of a tensor along an axis."""
    begin, end = [0] * (axis + 1), [0] * (axis + 1)
    begin[axis], end[axis] = start, stop or 0
    mask = (1 << axis) - 1
    ends = mask | (1 << axis if stop is None else 0)
    strides = [1] * (axis + 1)
    begins = mask | (1 << axis if start == 0 else 0)
    result: Tensor = apply("StridedSlice", x, begin, end, strides, begin_mask=begins, end_mask=ends)
    return result


def lowest(dtype: DType) -> Array:
    """The lowest number of a dtype, -inf for floats."""
    if dtype.is_floating:
        return np.asarray(-np.inf).astype(dtype.numpy_dtype)
    return np.asarray(np.iinfo(dtype.numpy_dtype).min, dtype.numpy_dtype)


def reduced(op_type: str, x: Tensor, axes: Iterable[int], keep: bool = False) -> Tensor:
    """A reduction along axes."""
    result: Tensor = wide(op_type, x, np.array(list(axes), np.int32), keep_dims=keep)
    return result


def constant(x: Any) -> Array | None:
    """The value of a tensor where it is known; else None."""
    return constant_value(x) if isinstance(x, Tensor) else np.asarray(x)


def stated(x: Tensor, shape: Sequence[Any] | None) -> Tensor:
    """A tensor that is known to have a shape."""
    if shape is None or x.shape.ndims == len(shape):
        return x
    result: Tensor = apply("EnsureShape", x, shape=TensorShape(shape))
    return result
