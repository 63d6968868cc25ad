"""Writing TensorFlow's checkpoints, version 1: one table, with the values inside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...protos.messages import TensorShapeProto
from ..replacement import replacing
from ..table_writer import varint_bytes, write_table
from .bundle_writer import Saved
from .checkpoint_slices import Extent, slice_bytes, slice_key

# The fields of a TensorProto that hold values, by the kinds of NumPy's dtypes and their sizes.
_BITS = {"half": 13, "bfloat16": 13, "float32": 5, "float64": 6, "complex64": 9, "complex128": 12}
_INTEGERS = {"int64": 10, "uint32": 16, "uint64": 17, "bool": 11}
_INT_VAL = 7
_MOST_BYTES = (1 << 31) - 1


def write_old_checkpoint(path: str, tensors: Iterable[Saved]) -> None:
    """Writes a checkpoint of version 1.

    Args:
        path: the file.
        tensors: what it is to hold.

    Raises:
        ValueError: two of them have one name, and are not parts of one tensor, or a value is too
            large for a message.
        OSError: the file cannot be written; it is what it was.

    Example:
        >>> import os, tempfile
        >>> from tensordraft.formats.checkpoints.bundle_writer import Saved
        >>> from tensordraft.formats.checkpoints.v1_checkpoint_writer import write_old_checkpoint
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> write_old_checkpoint(path, [Saved("v", td.int32, np.array([1, -2], np.int32))])
        >>> td.train.load_variable(path, "v").tolist()
        [1, -2]
    """
    metas: dict[str, list[bytes]] = {}
    rows: dict[bytes, bytes] = {}
    for saved in tensors:
        whole = list(saved.value.shape) if saved.part is None else saved.part.shape
        extents = tuple(Extent(0, -1) for _ in whole) if saved.part is None else saved.part.extents
        key, place = slice_key(saved.name, extents), slice_bytes(extents)
        head = _field(1, saved.name.encode()) + _field(2, _shape(whole))
        head += _field(3, saved.dtype.as_datatype_enum)
        known = metas.setdefault(saved.name, [head])
        if known[0] != head or key in rows or (saved.part is None and len(known) > 1):
            raise ValueError(f"two of the tensors are named {saved.name!r}")
        known.append(_field(4, place))
        value = _field(1, saved.name.encode()) + _field(2, place) + _field(3, _values(saved))
        if len(value) > _MOST_BYTES:
            raise ValueError(f"{saved.name!r} is too large for version 1: write version 2")
        rows[key] = _field(2, value)
    header = b"".join(_field(1, b"".join(parts)) for parts in metas.values())
    # As TensorFlow states it: the version of the format, and the oldest reader that knows it.
    header += _field(2, b"\x08\x01")
    with replacing(path) as file:
        write_table(file, [(b"", _field(1, header)), *sorted(rows.items())])


def _field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint_bytes(number << 3) + varint_bytes(value)
    return varint_bytes(number << 3 | 2) + varint_bytes(len(value)) + value


def _shape(sizes: list[int]) -> bytes:
    message = TensorShapeProto()
    for size in sizes:
        message.dim.add(size=size)
    return message.SerializeToString()


def _values(saved: Saved) -> bytes:
    """A TensorProto of nothing but the values, in the field of their dtype."""
    name, value = saved.dtype.name, np.ascontiguousarray(saved.value).reshape(-1)
    if name == "string":
        return b"".join(_field(8, item) for item in value.tolist())
    if name in ("half", "bfloat16"):
        return _packed(_BITS[name], value.view(np.uint16).tolist())
    if name in _BITS:
        return _field(_BITS[name], value.tobytes())
    if value.dtype.kind not in "iub":
        raise ValueError(f"{saved.name!r} is of dtype {name}, which version 1 does not hold")
    return _packed(_INTEGERS.get(name, _INT_VAL), value.tolist())


def _packed(number: int, items: list[Any]) -> bytes:
    return _field(number, b"".join(map(varint_bytes, items)))
