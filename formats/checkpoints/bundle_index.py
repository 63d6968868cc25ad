"""The index of a checkpoint, version 2: which tensors there are, and where in the data."""

from __future__ import annotations

from typing import IO, NamedTuple

from ...protos.dtypes import DType, as_dtype
from ...protos.messages import TensorShapeProto
from ...runtime import errors
from ..message_files import read_file
from ..replacement import replacing
from ..sorted_table import read_table
from ..table_writer import varint_bytes, write_table
from .checkpoint_slices import Extent, fields, parsed, read_slice, slice_bytes

SUFFIX = ".index"
_BIG_ENDIAN = 1
_MOST_SHARDS = 99_999  # what the names of data files have room for


class Entry(NamedTuple):
    """Location and type of a tensor: a BundleEntryProto.

    For a tensor stored in parts, `slices` lists them; each has an entry of its
    own, under `slice_key`.
    """

    dtype: DType
    shape: list[int]
    shard: int = 0
    offset: int = 0
    size: int = 0
    checksum: int = 0
    slices: tuple[tuple[Extent, ...], ...] = ()


class Index(NamedTuple):
    """The number of data files, and the entries by the keys of the table."""

    shards: int
    entries: dict[bytes, Entry]


def data_file(prefix: str, shard: int, shards: int) -> str:
    """The name of a data file of a checkpoint."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def read_index(prefix: str) -> Index:
    """The index of a checkpoint.

    Args:
        prefix: the name of the checkpoint, without a suffix.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is damaged.
    """
    path = prefix + SUFFIX
    data = read_file(path)
    shards = None
    entries = {}
    try:
        for key, value in read_table(data):
            if key:
                entries[key] = _read_entry(value)
            else:
                shards = _read_header(value)
        if shards is None:
            raise ValueError("it does not state the number of data files")
        for entry in entries.values():
            if entry.shard >= shards:
                raise ValueError(f"a tensor is in data file {entry.shard} of {shards}")
    except (ValueError, TypeError) as error:
        message = f"{path!r} is damaged, or no index of a checkpoint: {error}"
        raise errors.DataLossError(None, None, message) from error
    return Index(shards, entries)


def present_shards(prefix: str) -> int:
    """The number of data files of a checkpoint; 0 where there is no index, or a damaged one.

    Raises:
        OSError: the index cannot be read.
    """
    try:
        data = read_file(prefix + SUFFIX)
    except errors.NotFoundError:
        return 0
    try:
        key, header = next(read_table(data))
        return 0 if key else _read_header(header)
    except (ValueError, TypeError, StopIteration):
        return 0


def write_index(prefix: str, index: Index) -> None:
    """Writes the index of a checkpoint.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(prefix + SUFFIX) as file:
        put_index(file, index)


def put_index(file: IO[bytes], index: Index) -> None:
    """Writes an index into an open file."""
    header = b"\x08" + varint_bytes(index.shards) + b"\x1a\x02\x08\x01"  # of version 1
    rows = [(key, _entry_bytes(entry)) for key, entry in sorted(index.entries.items())]
    write_table(file, [(b"", header), *rows])


def _read_header(data: bytes) -> int:
    """The number of shards, from a BundleHeaderProto."""
    shards = 1
    for number, value in fields(data):
        if number == 1 and isinstance(value, int):
            shards = value
        elif number == 2 and value == _BIG_ENDIAN:
            raise ValueError("its numbers are big-endian, which is not supported")
    if not 0 < shards <= _MOST_SHARDS:
        raise ValueError(f"it states {shards} data files")
    return shards


def _read_entry(data: bytes) -> Entry:
    numbers = dict.fromkeys((1, 3, 4, 5, 6), 0)
    shape: list[int] = []
    slices: list[tuple[Extent, ...]] = []
    for number, value in fields(data):
        if number == 2 and isinstance(value, bytes):
            shape = [dim.size for dim in parsed(TensorShapeProto, value).dim]
        elif number == 7 and isinstance(value, bytes):
            slices.append(read_slice(value))
        elif number in numbers and isinstance(value, int):
            numbers[number] = value
    if any(size < 0 for size in shape):
        raise ValueError(f"a tensor has the shape {shape}")
    return Entry(
        as_dtype(numbers[1]), shape, numbers[3], numbers[4], numbers[5], numbers[6], tuple(slices)
    )


def _entry_bytes(entry: Entry) -> bytes:
    """A BundleEntryProto; as in protobuf, a number of 0 is left out."""
    message = TensorShapeProto()
    for length in entry.shape:
        message.dim.add(size=length)
    sizes = message.SerializeToString()
    found = [b"\x08" + varint_bytes(entry.dtype.as_datatype_enum)]
    found.append(b"\x12" + varint_bytes(len(sizes)) + sizes)
    for tag, number in ((b"\x18", entry.shard), (b"\x20", entry.offset), (b"\x28", entry.size)):
        if number:
            found.append(tag + varint_bytes(number))
    if not entry.slices:
        found.append(b"\x35" + entry.checksum.to_bytes(4, "little"))
    for extents in entry.slices:
        part = slice_bytes(extents)
        found.append(b"\x3a" + varint_bytes(len(part)) + part)
    return b"".join(found)
