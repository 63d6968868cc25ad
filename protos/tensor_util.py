"""TensorFlow's public pair of functions between values and TensorProtos."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from .constant_array import constant_array
from .dtypes import as_dtype
from .messages import TensorProto
from .shape_codec import encode_shape
from .tensor_codec import append_values, decode_tensor, encode_tensor

public = {"td": "make_ndarray make_tensor_proto"}

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Iterable[int] | None = None,
    verify_shape: bool = False,
) -> TensorProto:
    """The TensorProto of a value, with the same bytes as TensorFlow's function of this name gives.

    Args:
        values: a number, bool, string or nested list of these, an array, or a TensorProto, which is
            returned as it is.
        dtype: the dtype wanted; by default that of an array, or float32, int32 (int64 if need be),
            bool, complex128 or string for Python values.
        shape: the shape wanted. The values may be fewer than its elements: the last one then stands
            for the rest.
        verify_shape: whether the values must have exactly that shape.

    Returns:
        A message.

    Raises:
        TypeError: an element does not go with the dtype, or the shape differs from that verified.
        ValueError: the values are None, ragged, out of range or more than the shape has room for.

    Example:
        >>> td.make_tensor_proto(5, shape=[2, 3]).int_val
        [5]
    """
    if isinstance(values, TensorProto):
        return values
    if shape is None:
        return encode_tensor(*constant_array(values, dtype))
    sizes = tuple(map(operator.index, shape))
    proto_shape = encode_shape(sizes)
    array, found = constant_array(values, dtype)
    if verify_shape and array.shape != sizes:
        raise TypeError(f"expected values of shape {sizes}, got shape {array.shape}")
    room = math.prod(sizes)
    if array.size > room:
        raise ValueError(f"shape {sizes} has room for {room} values, got {array.size}")
    if array.size == room:
        return encode_tensor(array.reshape(sizes), found)
    proto = TensorProto(dtype=found.as_datatype_enum, tensor_shape=proto_shape)
    append_values(proto, array.reshape(-1), found)
    return proto


def make_ndarray(tensor: TensorProto) -> Array:
    """The array that a TensorProto holds.

    Args:
        tensor: the message.

    Returns:
        A new array, writable, of the dtype's `as_numpy_dtype`. Strings are bytes in an array of
        objects.

    Raises:
        ValueError: the message is malformed, of a dtype that has no arrays, or represents more than
            there is memory for.

    Example:
        >>> td.make_ndarray(td.make_tensor_proto(5, shape=[2, 3]))
        array([[5, 5, 5],
               [5, 5, 5]], dtype=int32)
    """
    try:
        array = decode_tensor(tensor).copy()
    except MemoryError:
        sizes = [dim.size for dim in tensor.tensor_shape.dim]
        raise ValueError(f"a tensor of shape {sizes} takes more memory than is left") from None
    dtype = as_dtype(tensor.dtype)
    return array.view(dtype.as_numpy_dtype) if dtype.is_quantized else array
