"""The ops on readers, by reference and by handle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime import errors
from ...runtime.object_arrays import handle_to, object_scalar
from ...runtime.waiting import waits_of
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..queues.handles import (
    HOME,
    by_reference_and_handle,
    kept_behind,
    nothing_shape,
    scalar_shape,
    shared_home,
)
from ..queues.queue_ops import queue_of
from .record_readers import (
    FixedLengthRecords,
    Names,
    RecordReader,
    TextLines,
    TFRecords,
    WholeFiles,
)

_LENGTHS = "header_bytes: int = 0, record_bytes: int, footer_bytes: int = 0, hop_bytes: int = 0"


def _check_lengths(c: KernelContext) -> None:
    for attr in ("header_bytes", "footer_bytes", "hop_bytes"):
        if c.attr(attr) < 0:
            raise ValueError(f"{attr} must be >= 0 not {c.attr(attr)}")
    if c.attr("record_bytes") <= 0:
        raise ValueError(f"record_bytes must be > 0 not {c.attr('record_bytes')}")


def _reader_kernel(kind: type[RecordReader]) -> Callable[[KernelContext], Kernel]:
    def factory(c: KernelContext) -> Kernel:
        if kind is FixedLengthRecords:
            _check_lengths(c)
        if kind is TFRecords and c.attr("compression_type") not in (b"", b"ZLIB", b"GZIP"):
            raise ValueError(
                f"compression_type must be '', 'ZLIB' or 'GZIP', got {c.attr('compression_type')!r}"
            )
        key, name = shared_home(c)
        found = c.state.setdefault(key, kind(name, dict(c.node.attrs)))
        if type(found) is not kind:
            raise errors.InvalidArgumentError(
                None, None, f"Expected {kind.kind}, found {getattr(found, 'kind', found)}"
            )
        handle = handle_to(found)

        def reader() -> Array:
            return handle

        return reader

    return factory


def _defined(kind: type[RecordReader], attrs: str, newer: str = "") -> dict[str, OpDef[Any]]:
    """Defines the op that makes a reader; its newer version may have more attrs."""
    definitions: dict[str, OpDef[Any]] = {}
    for version, dtype in (("", "Ref(string)"), ("V2", "resource")):
        parts = [attrs, HOME, newer if version else ""]
        if kind is TFRecords:
            parts = [HOME, "compression_type: string = ''"]
        op: OpDef[Any] = OpDef(
            kind.kind + version,
            f"-> reader_handle: {dtype}",
            ", ".join(filter(None, parts)),
            traits=Traits(stateful=True, reads_files=True),
        )
        op.shape(scalar_shape)
        op.kernel(_reader_kernel(kind))
        definitions[version] = op
    return definitions


READERS = {
    kind.kind: _defined(kind, *attrs)
    for kind, attrs in {
        WholeFiles: ("",),
        TextLines: ("skip_header_lines: int = 0",),
        FixedLengthRecords: (_LENGTHS, "encoding: string = ''"),
        TFRecords: ("",),
        Names: ("",),
    }.items()
}


def reader_of(handle: Array) -> RecordReader:
    """The reader that a handle stands for.

    Raises:
        ValueError: it stands for none.
    """
    return kept_behind(handle, RecordReader, "a reader")


def _texts(values: list[bytes]) -> Array:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _two_scalars(c: ShapeContext) -> list[TensorShape]:
    return [SCALAR, SCALAR]


def _read_kernel(c: KernelContext) -> Kernel:
    waits = waits_of(c.state)

    def read(reader: Array, queue: Array) -> tuple[Array, Array]:
        [(key, value)] = reader_of(reader).read(queue_of(queue), 1, waits)
        return object_scalar(key), object_scalar(value)

    return read


def _two_vectors(c: ShapeContext) -> list[TensorShape]:
    c.shape("num_records", rank=0)
    return [TensorShape([None]), TensorShape([None])]


def _read_up_to_kernel(c: KernelContext) -> Kernel:
    waits = waits_of(c.state)

    def read_up_to(reader: Array, queue: Array, num_records: Array) -> tuple[Array, Array]:
        records = reader_of(reader).read(queue_of(queue), int(num_records), waits)
        return _texts([key for key, _ in records]), _texts([value for _, value in records])

    return read_up_to


def _count_kernel(which: int) -> Callable[[KernelContext], Kernel]:
    def factory(c: KernelContext) -> Kernel:

        def count(reader: Array) -> Array:
            return np.array(reader_of(reader).counts()[which], np.int64)

        return count

    return factory


def _serialize_kernel(c: KernelContext) -> Kernel:

    def serialize(reader: Array) -> Array:
        return object_scalar(reader_of(reader).serialized())

    return serialize


def _restore_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("state", rank=0)
    return []


def _restore_kernel(c: KernelContext) -> Kernel:
    waits = waits_of(c.state)

    def restore(reader: Array, state: Array) -> tuple[()]:
        reader_of(reader).restore(state.item(), waits)
        return ()

    return restore


def _reset_kernel(c: KernelContext) -> Kernel:
    waits = waits_of(c.state)

    def reset(reader: Array) -> tuple[()]:
        reader_of(reader).reset(waits)
        return ()

    return reset


_OF = "reader_handle: HANDLE"
READ = by_reference_and_handle(
    "ReaderRead",
    f"{_OF}, queue_handle: HANDLE -> key: string, value: string",
    "",
    _two_scalars,
    _read_kernel,
    waits=True,
)
READ_UP_TO = by_reference_and_handle(
    "ReaderReadUpTo",
    f"{_OF}, queue_handle: HANDLE, num_records: int64 -> keys: string, values: string",
    "",
    _two_vectors,
    _read_up_to_kernel,
    waits=True,
)
NUM_RECORDS_PRODUCED = by_reference_and_handle(
    "ReaderNumRecordsProduced",
    f"{_OF} -> records_produced: int64",
    "",
    scalar_shape,
    _count_kernel(0),
)
NUM_WORK_UNITS_COMPLETED = by_reference_and_handle(
    "ReaderNumWorkUnitsCompleted",
    f"{_OF} -> units_completed: int64",
    "",
    scalar_shape,
    _count_kernel(1),
)
SERIALIZE_STATE = by_reference_and_handle(
    "ReaderSerializeState", f"{_OF} -> state: string", "", scalar_shape, _serialize_kernel
)
RESTORE_STATE = by_reference_and_handle(
    "ReaderRestoreState", f"{_OF}, state: string ->", "", _restore_shape, _restore_kernel
)
RESET = by_reference_and_handle("ReaderReset", f"{_OF} ->", "", nothing_shape, _reset_kernel)
