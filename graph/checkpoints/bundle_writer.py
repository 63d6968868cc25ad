"""Writing TensorFlow's checkpoints, version 2: the data of all tensors in a row, and an index.

Both files are written beside what they replace. The data takes its place first, then the index: a
process that is killed between the two leaves an index whose checksums do not fit, and no mixture
of old and new values.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from ...protos.messages import TensorShapeProto
from ..files.crc32c import masked_crc32c
from ..files.replacement import replacing
from ..files.table_writer import table_bytes, varint_bytes
from .tensor_bundle import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...protos.dtypes import DType

_HEADER = b"\x08\x01\x1a\x02\x08\x01"  # a BundleHeaderProto: one shard, version 1


def write_bundle(prefix: str, tensors: Mapping[str, tuple[DType, np.ndarray[Any, Any]]]) -> None:
    """Writes a checkpoint that TensorFlow reads.

    Args:
        prefix: the name of the checkpoint, without a suffix.
        tensors: the dtype and the value of each variable, by name.

    Raises:
        OSError: a file cannot be written; the checkpoint is what it was.

    Example:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import tensordraft as td
        >>> from tensordraft.graph.checkpoints.bundle_writer import write_bundle
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> write_bundle(path, {"v": (td.float32, np.array([1, 2], np.float32))})
        >>> td.train.load_variable(path, "v").tolist()
        [1.0, 2.0]
    """
    entries = {b"": _HEADER}
    position = 0
    with ExitStack() as both:
        index = both.enter_context(replacing(prefix + SUFFIX))  # closed last: after the data
        data = both.enter_context(replacing(f"{prefix}.data-00000-of-00001"))
        for name in sorted(tensors, key=str.encode):
            dtype, value = tensors[name]
            stored, checksum = _strings(value) if dtype.name == "string" else _numbers(value)
            data.write(stored)
            entries[name.encode()] = _entry(dtype, value.shape, position, len(stored), checksum)
            position += len(stored)
        index.write(table_bytes(sorted(entries.items())))


def _numbers(value: np.ndarray[Any, Any]) -> tuple[bytes, int]:
    stored = np.ascontiguousarray(value).tobytes()
    return stored, masked_crc32c(stored)


def _strings(value: np.ndarray[Any, Any]) -> tuple[bytes, int]:
    """Strings as their lengths, a checksum of these, and their bytes."""
    items: list[bytes] = value.ravel().tolist()
    wide = [len(item).to_bytes(4 if len(item) < 1 << 32 else 8, "little") for item in items]
    summed = masked_crc32c(b"".join(wide)).to_bytes(4, "little")
    tail = summed + b"".join(items)
    lengths = b"".join(varint_bytes(len(item)) for item in items)
    return lengths + tail, masked_crc32c(b"".join(wide) + tail)


def _entry(dtype: DType, shape: tuple[int, ...], offset: int, size: int, checksum: int) -> bytes:
    """A BundleEntryProto; as in protobuf, a number of 0 is left out."""
    message = TensorShapeProto()
    for length in shape:
        message.dim.add(size=length)
    sizes = message.SerializeToString()
    fields = [b"\x08" + varint_bytes(dtype.as_datatype_enum)]
    fields.append(b"\x12" + varint_bytes(len(sizes)) + sizes)
    if offset:
        fields.append(b"\x20" + varint_bytes(offset))
    if size:
        fields.append(b"\x28" + varint_bytes(size))
    fields.append(b"\x35" + checksum.to_bytes(4, "little"))
    return b"".join(fields)
