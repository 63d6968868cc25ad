"""`tensor[...]`: converts the key in brackets to a StridedSlice."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.cast import cast
from .strided_slice import MASKS, STRIDED_SLICE

public = {"td": "newaxis"}

newaxis = None


def getitem(tensor: Tensor, key: Any) -> Tensor:
    """The part of `tensor` that `tensor[key]` denotes.

    Args:
        tensor: a tensor.
        key: integers, slices, `...` and `td.newaxis`, as for an ndarray. A number may be a Python
            or NumPy integer, a known Dimension, or an integer tensor of rank 0. A list that holds
            more than integers is read as a tuple, as in TensorFlow. Of integers only it is
            refused: TensorFlow reads `x[[0, 1]]` as the element `x[0, 1]`, NumPy as two rows.

    Returns:
        A Tensor.

    Raises:
        TypeError: something else stands in the brackets.
        ValueError: there are too many indices, or one is known to be out of range.

    Example:
        >>> from tensordraft.ops.indexing.brackets import getitem
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[1, 2, 3], [4, 5, 6]])
        ...     print(session.run(getitem(x, (slice(None, None, -1), td.constant(1)))))
        [5 2]
    """
    spec: list[tuple[Any, Any, Any]] = []
    masks = dict.fromkeys(MASKS, 0)
    if isinstance(key, list) and not all(isinstance(item, (int, np.integer)) for item in key):
        key = tuple(key)
    for i, item in enumerate(key if isinstance(key, tuple) else (key,)):
        bounds: tuple[Any, Any, Any] = (0, 0, 1)
        bits = []
        if item is ...:
            bits = ["ellipsis_mask"]
        elif item is None:
            bits = ["new_axis_mask"]
        elif isinstance(item, slice):
            bits += ["begin_mask"] if item.start is None else []
            bits += ["end_mask"] if item.stop is None else []
            bounds = (
                0 if item.start is None else _bound(item.start, tensor),
                0 if item.stop is None else _bound(item.stop, tensor),
                1 if item.step is None else _bound(item.step, tensor),
            )
        else:
            bits = ["shrink_axis_mask"]
            index = _bound(item, tensor)
            bounds = (index, index + 1 if isinstance(index, int) else 0, 1)
        spec.append(bounds)
        for bit in bits:
            masks[bit] |= 1 << i
    dtype, spec = _of_one_dtype(spec)
    vectors = [
        list(vector)
        if any(isinstance(bound, Tensor) for bound in vector)
        else np.array(vector, dtype)
        for vector in (zip(*spec, strict=True) if spec else ((), (), ()))
    ]
    with name_scope(None, "strided_slice", [tensor]) as scope:
        begin, end, strides = [convert_to_tensor(vector, dtype, "stack") for vector in vectors]
        return STRIDED_SLICE(tensor, begin, end, strides, name=scope, **masks)


def _bound(value: Any, tensor: Tensor) -> int | Tensor:
    """A number in brackets, as an int or a tensor of rank 0."""
    name = tensor.op.name
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{value} is no index: write td.boolean_mask({name}, mask) to select by a mask, or "
            "td.newaxis for a new dimension"
        )
    try:
        return operator.index(value)
    except TypeError:
        pass
    if isinstance(value, (list, tuple, np.ndarray)):
        rank, dtype = np.ndim(value), np.asarray(value).dtype.name
    else:
        if isinstance(value, (str, bytes, float, complex, np.generic)):
            raise TypeError(f"an index is an integer, slice, tensor, `...` or None, got {value!r}")
        value = convert_to_tensor(value)
        rank, dtype = value.shape.rank, value.dtype.base_dtype.name
        if not rank and value.dtype.is_integer:
            return value
    if dtype == "bool":
        raise TypeError(
            f"a bool tensor is no index: write td.boolean_mask({name}, mask) to select by a mask"
        )
    if rank and "int" in dtype:
        raise TypeError(
            f"an index has rank 0, got rank {rank}: write td.gather({name}, indices) to take "
            "several elements along the first dimension"
        )
    raise TypeError(f"an index tensor holds integers, got {dtype}")


def _of_one_dtype(
    spec: Sequence[tuple[Any, Any, Any]],
) -> tuple[str, list[tuple[Any, Any, Any]]]:
    """The dtype that holds all bounds, and the bounds with the tensors among them cast to it."""
    bounds = [bound for row in spec for bound in row]
    wide = any(
        bound.dtype.base_dtype.name in ("int64", "uint32", "uint64")
        if isinstance(bound, Tensor)
        else not -(2**31) <= bound < 2**31
        for bound in bounds
    )
    dtype = "int64" if wide else "int32"

    def of_dtype(bound: Any) -> Any:
        return cast(bound, dtype) if isinstance(bound, Tensor) else bound

    return dtype, [(of_dtype(b), of_dtype(e), of_dtype(s)) for b, e, s in spec]
