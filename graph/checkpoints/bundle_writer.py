"""Writing TensorFlow's checkpoints, version 2: the data of all tensors in a row, and an index.

Both files are written beside what they replace. The data takes its place first, then the index: a
process that is killed between the two leaves an index whose checksums do not fit, and no mixture
of old and new values.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..files.crc32c import masked_crc32c
from ..files.replacement import replacing
from ..files.table_writer import varint_bytes
from .bundle_index import SUFFIX, Entry, Index, data_file, put_index, read_index, write_index
from .checkpoint_slices import Part, slice_key, spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...protos.dtypes import DType


class Saved(NamedTuple):
    """A tensor to be saved, or a part of one."""

    name: str
    dtype: DType
    value: np.ndarray[Any, Any]
    part: Part | None = None


def write_bundle(prefix: str, tensors: Iterable[Saved]) -> None:
    """Writes a checkpoint that TensorFlow reads.

    Numbers are written from where they are, without a copy.

    Args:
        prefix: the name of the checkpoint, without a suffix.
        tensors: what it is to hold.

    Raises:
        ValueError: two of them have one name, and are not parts of one tensor; a name is empty; a
            part is not of the shape that it states.
        OSError: a file cannot be written; the checkpoint is what it was.

    Example:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import tensordraft as td
        >>> from tensordraft.graph.checkpoints.bundle_writer import Saved, write_bundle
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> write_bundle(path, [Saved("v", td.float32, np.array([1, 2], np.float32))])
        >>> td.train.load_variable(path, "v").tolist()
        [1.0, 2.0]
    """
    entries: dict[bytes, Entry] = {}
    position = 0
    with ExitStack() as both:
        index = both.enter_context(replacing(prefix + SUFFIX))  # closed last: after the data
        data = both.enter_context(replacing(data_file(prefix, 0, 1)))
        for saved in sorted(tensors, key=lambda item: item.name.encode()):
            key = _announce(saved, entries)
            chunks, checksum = _stored(saved)
            size = sum(map(len, chunks))
            shape = list(saved.value.shape)
            entries[key] = Entry(saved.dtype, shape, 0, position, size, checksum)
            for chunk in chunks:
                data.write(chunk)
            position += size
        put_index(index, Index(1, entries))


def merge_bundles(
    prefixes: Sequence[str], destination: str, *, allow_missing: bool = False
) -> None:
    """Makes one checkpoint of several, whose data files become its own.

    Args:
        prefixes: the names of the checkpoints, which are gone afterwards.
        destination: the name of the checkpoint to make.
        allow_missing: whether some of the checkpoints need not exist.

    Raises:
        NotFoundError: one of them does not exist, or none does.
        DataLossError: the index of one is damaged.
        ValueError: two of them hold the same tensor, or they hold different parts of one.
        OSError: a file cannot be moved or written.
    """
    found = [p for p in prefixes if not allow_missing or os.path.exists(p + SUFFIX)]
    indices = [read_index(prefix) for prefix in found or prefixes]
    shards = sum(index.shards for index in indices)
    merged: dict[bytes, Entry] = {}
    moves: list[tuple[str, str]] = []
    for prefix, index in zip(found, indices, strict=True):
        first = len(moves)
        for shard in range(index.shards):
            target = data_file(destination, first + shard, shards)
            moves.append((data_file(prefix, shard, index.shards), target))
        for key, entry in index.entries.items():
            known = merged.get(key)
            if known is None:
                merged[key] = entry._replace(shard=0 if entry.slices else first + entry.shard)
            elif known[:2] == entry[:2] and known.slices and entry.slices:
                merged[key] = known._replace(slices=known.slices + entry.slices)
            else:
                name = key.decode(errors="replace")
                raise ValueError(f"{name!r} is in more than one of the checkpoints to be merged")
    for source, target in moves:
        os.replace(source, target)
    write_index(destination, Index(shards, merged))
    for prefix in found:
        with suppress(FileNotFoundError):
            os.remove(prefix + SUFFIX)


def _announce(saved: Saved, entries: dict[bytes, Entry]) -> bytes:
    """Checks the name, and enters the whole of which a part is; returns the key."""
    name, part = saved.name, saved.part
    if not name or name.startswith("\0"):
        raise ValueError(f"a tensor cannot be saved under the name {name!r}")
    key = name.encode()
    if part is None:
        if key in entries:
            raise ValueError(f"two of the tensors are named {name!r}")
        return key
    lengths = [extent.length for extent in spans(part.shape, part.extents)]
    if list(saved.value.shape) != lengths:
        raise ValueError(
            f"a part of {name!r} has shape {list(saved.value.shape)}, where {lengths} is stated"
        )
    whole = entries.setdefault(key, Entry(saved.dtype, part.shape))
    own = slice_key(name, part.extents)
    if (whole.dtype, whole.shape) != (saved.dtype, part.shape) or whole.size or own in entries:
        raise ValueError(f"the parts of {name!r} do not belong together")
    entries[key] = whole._replace(slices=(*whole.slices, part.extents))
    return own


def _stored(saved: Saved) -> tuple[list[bytes | memoryview], int]:
    """What is written of a value, and its checksum."""
    if saved.dtype.name == "string":
        return _strings(saved.value)
    if saved.dtype.name in ("resource", "variant"):
        raise ValueError(f"{saved.name!r} is of dtype {saved.dtype.name}, which is not saved")
    flat = np.ascontiguousarray(saved.value).reshape(-1)
    data = flat.view(np.uint8).data if flat.size else b""
    return [data], masked_crc32c(data)


def _strings(value: np.ndarray[Any, Any]) -> tuple[list[bytes | memoryview], int]:
    """Strings as their lengths, a checksum of these, and their bytes."""
    items: list[bytes] = value.ravel().tolist()
    wide = b"".join(
        [len(item).to_bytes(4 if len(item) < 1 << 32 else 8, "little") for item in items]
    )
    summed = masked_crc32c(wide).to_bytes(4, "little")
    lengths = b"".join(varint_bytes(len(item)) for item in items)
    text = b"".join(items)
    return [lengths, summed, text], masked_crc32c(wide, summed, text)
