"""Shapes to and from their wire form."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from .messages import TensorShapeProto

MAX_RANK = 254
"""The most dimensions that a tensor may have, in TensorFlow as here."""
_INT64_MAX = 2**63 - 1


def decode_shape(proto: TensorShapeProto) -> tuple[int | str | None, ...] | None:
    """Decodes the dimensions of a shape.

    Args:
        proto: the shape.

    Returns:
        The dimensions: an int where the size is known, the name where only a name is, None where
        nothing is. None instead of the tuple if the rank is unknown.

    Raises:
        ValueError: a size is below -1, there are dimensions beside `unknown_rank` or too many of
            them, or the shape has 2**63 elements or more.

    Example:
        >>> from tensordraft.protos.messages import TensorShapeProto
        >>> from tensordraft.protos.shape_codec import decode_shape
        >>> decode_shape(TensorShapeProto(dim=[{"size": -1, "name": "batch"}, {"size": 784}]))
        ('batch', 784)
    """
    if proto.unknown_rank:
        if proto.dim:
            raise ValueError(f"a shape of unknown rank has {len(proto.dim)} dimensions")
        return None
    if len(proto.dim) > MAX_RANK:
        raise ValueError(f"a shape has at most {MAX_RANK} dimensions, got {len(proto.dim)}")
    dims: list[int | str | None] = []
    for i, dim in enumerate(proto.dim):
        size = dim.size
        if size >= 0:
            dims.append(size)
        elif size == -1:
            dims.append(dim.name or None)
        else:
            raise ValueError(f"dim[{i}].size = {size} is below -1")
    _check_elements(dims)
    return tuple(dims)


def _check_elements(dims: list[int | str | None]) -> None:
    """Checks the number of elements as TensorFlow does: from the front, to the first unknown."""
    number = 1
    for size in dims:
        if not isinstance(size, int):
            return
        number *= size
        if number > _INT64_MAX:
            raise ValueError(f"the shape {dims} has 2**63 elements or more")


def encode_shape(dims: Iterable[Any] | None) -> TensorShapeProto:
    """The wire form of a shape: the reverse of `decode_shape`.

    Args:
        dims: ints, names and Nones; or None for an unknown rank.

    Raises:
        TypeError: a dimension is something else.
        ValueError: a size is negative or does not fit in 64 bits, or a name is not valid text.

    Example:
        >>> from tensordraft.protos.shape_codec import encode_shape
        >>> encode_shape([None, 3]).dim[1].size
        3
    """
    proto = TensorShapeProto()
    if dims is None:
        proto.unknown_rank = True
        return proto
    for i, dim in enumerate(dims):
        if dim is None:
            proto.dim.add(size=-1)
        elif isinstance(dim, str):
            proto.dim.add(size=-1, name=_checked_name(dim, i))
        else:
            proto.dim.add(size=_checked_size(dim, i))
    return proto


def _checked_name(name: str, i: int) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(f"dims[{i}] = {name!r} is not valid text") from None
    if not name:
        raise ValueError(f"dims[{i}] is an empty name")
    return name


def _checked_size(dim: Any, i: int) -> int:
    try:
        size = operator.index(dim)
    except TypeError:
        raise TypeError(f"dims[{i}] = {dim!r} is not an int, a name or None") from None
    if not 0 <= size <= _INT64_MAX:
        raise ValueError(f"dims[{i}] = {size} is not in [0, 2**63)")
    return size
