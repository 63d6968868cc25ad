"""Specs of the features of examples."""

from __future__ import annotations

from typing import Any, NamedTuple

public = {
    "td, td.io": "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature",
}


class FixedLenFeature(NamedTuple):
    """A feature of which every example has as many values: it becomes a Tensor.

    Args:
        shape: the shape of its values in one example.
        dtype: float32, int64 or string.
        default_value: what examples have that lack the feature; without it they are an error.

    Example:
        >>> td.FixedLenFeature([2], td.float32)
        FixedLenFeature(shape=[2], dtype=td.float32, default_value=None)
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values: it becomes a SparseTensor.

    Args:
        dtype: float32, int64 or string.

    Example:
        >>> td.VarLenFeature(td.int64)
        VarLenFeature(dtype=td.int64)
    """

    dtype: Any


class SparseFeature(NamedTuple):
    """A feature that states indices and values in two others: it becomes a SparseTensor.

    Args:
        index_key: the name of the feature with the indices, or several for several dimensions.
        value_key: the name of the feature with the values.
        dtype: float32, int64 or string.
        size: how many indices there are; several for several dimensions.
        already_sorted: whether the indices ascend in each example.

    Example:
        >>> td.SparseFeature("places", "values", td.float32, 10).size
        10
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows: it becomes a Tensor, filled up to the longest example.

    Args:
        shape: the shape of a row.
        dtype: float32, int64 or string.
        allow_missing: whether examples may lack it, or have fewer rows than others.
        default_value: what fills shorter examples up, a scalar; by default zeros or empty strings.

    Example:
        >>> td.FixedLenSequenceFeature([], td.int64, allow_missing=True).shape
        []
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None
