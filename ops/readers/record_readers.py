"""Readers at run time: current file, and number of records read."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from ...formats.message_files import read_file
from ...formats.record_file import opened, records_by_place
from ...protos.dtypes import string
from ...protos.messages import ReaderBaseState
from ...runtime import errors
from ...runtime.waiting import Turns, Waits
from ..queues.tensor_queue import TensorQueue

if TYPE_CHECKING:
    Record = tuple[bytes, bytes]

_BLOCK = 1 << 20


class RecordReader:
    """Takes the names of files out of a queue, and gives their records, each with a key.

    Args:
        name: what errors call it.
        settings: the attrs of its op.
    """

    kind = ""
    one_record = False  # whether there is one for each name: then the reader's state can be kept

    def __init__(self, name: str, settings: dict[str, Any]) -> None:
        self.name = name
        self._settings = settings
        self._turns = Turns()
        self._reset()

    def _reset(self) -> None:
        self._state = ReaderBaseState()
        self._records: Generator[Record] | None = None

    def _records_of(self, work: str) -> Generator[Record]:
        """The records of a file."""
        raise NotImplementedError

    def read(self, queue: TensorQueue, number: int, waits: Waits) -> list[Record]:
        """The next records of one file, at least one of them and at most so many.

        Args:
            queue: holds the names of files.
            number: how many records at most.
            waits: what the session waits for.

        Raises:
            OutOfRangeError: the queue is closed and empty.
            DataLossError, NotFoundError: the file cannot be read; the next call continues after it.
        """
        if len(queue.dtypes) != 1:
            raise ValueError("Expected single component queue")
        if queue.dtypes[0] is not string or (queue.shapes and queue.shapes[0].rank != 0):
            raise ValueError("Expected queue with single string component")
        records: list[Record] = []
        with self._turns.turn(waits):
            while number > 0 and not records:
                if self._records is None:
                    work: bytes = queue.dequeue(waits, None)[0].item()
                    self._state.work_started += 1
                    self._state.current_work = work
                    self._records = self._records_of(os.fsdecode(work))
                self._read_on(self._records, number, records)
        return records

    def _read_on(self, records: Generator[Record], number: int, found: list[Record]) -> None:
        state = self._state
        try:
            while len(found) < number:
                record = next(records, None)
                if record is not None:
                    found.append(record)
                    state.num_records_produced += 1
                if record is None or self.one_record:
                    state.work_finished += 1
                    self._records = None
                    break
        except errors.OpError:
            # Of a file that is damaged the rest is left out; what came before is not lost.
            if not found:
                self._records = None
                raise

    def counts(self) -> tuple[int, int]:
        """Numbers of records read, and of files read to the end."""
        return self._state.num_records_produced, self._state.work_finished

    def reset(self, waits: Waits) -> None:
        """Resets the reader."""
        with self._turns.turn(waits):
            if self._records is not None:
                self._records.close()
            self._reset()

    def serialized(self) -> bytes:
        """Position of the reader.

        Raises:
            UnimplementedError: it may be inside a file.
        """
        if not self.one_record:
            raise errors.UnimplementedError(None, None, "Reader SerializeState")
        return self._state.SerializeToString(deterministic=True)

    def restore(self, state: bytes, waits: Waits) -> None:
        """Goes to where the reader was.

        Raises:
            UnimplementedError: it may be inside a file.
            InvalidArgumentError: the state is none of such a reader.
        """
        if not self.one_record:
            raise errors.UnimplementedError(None, None, "Reader RestoreState")
        try:
            message = ReaderBaseState.FromString(state)
        except DecodeError:
            raise ValueError(
                f"Could not parse state for {self.kind} '{self.name}': {state!r}"
            ) from None
        counts = message.work_started, message.work_finished, message.num_records_produced
        if min(counts) < 0:
            raise ValueError(f"Unexpected negative value when restoring in {self.name}: {counts}")
        if message.work_started != message.work_finished:
            raise ValueError(
                f"Inconsistent work started vs. finished when restoring in {self.name}: "
                f"{message.work_started} vs. {message.work_finished}"
            )
        with self._turns.turn(waits):
            self._state, self._records = message, None


def _key(work: str, place: int) -> bytes:
    return os.fsencode(work) + b":%d" % place


class TextLines(RecordReader):
    """The lines of text files, without what ends them."""

    kind = "TextLineReader"

    def _records_of(self, work: str) -> Generator[Record]:
        skipped = self._settings["skip_header_lines"]
        with opened(work, "") as file:
            for i, line in enumerate(file, 1):
                if i > skipped:
                    yield _key(work, i), line.removesuffix(b"\n").replace(b"\r", b"")


class WholeFiles(RecordReader):
    """Whole files, by their names."""

    kind = "WholeFileReader"
    one_record = True

    def _records_of(self, work: str) -> Generator[Record]:
        yield os.fsencode(work), read_file(work)


class Names(RecordReader):
    """Contents of the queue, unchanged."""

    kind = "IdentityReader"
    one_record = True

    def _records_of(self, work: str) -> Generator[Record]:
        yield os.fsencode(work), os.fsencode(work)


class TFRecords(RecordReader):
    """The records of TensorFlow's record files."""

    kind = "TFRecordReader"

    def _records_of(self, work: str) -> Generator[Record]:
        compression = self._settings["compression_type"].decode()
        for place, record in records_by_place(work, compression):
            yield _key(work, place), record


class FixedLengthRecords(RecordReader):
    """The records of files in which all are of one length, between a header and a footer."""

    kind = "FixedLengthRecordReader"

    def _records_of(self, work: str) -> Generator[Record]:
        settings = self._settings
        encoding = settings.get("encoding", b"").decode()
        length, footer = settings["record_bytes"], settings["footer_bytes"]
        hop = settings["hop_bytes"] or length
        with opened(work, encoding if encoding in ("ZLIB", "GZIP") else "") as file:
            _some(file, settings["header_bytes"])
            number, data = 0, b""
            while True:
                data += _some(file, length + footer - len(data))
                if len(data) < length + footer:
                    return
                yield _key(work, number), data[:length]
                number += 1
                if hop > len(data):
                    _some(file, hop - len(data))
                data = data[hop:]


def _some(file: Any, size: int) -> bytes:
    """As many bytes, or as there are; taken in blocks, as attrs may ask for more than there is."""
    parts = []
    while size > 0 and (part := file.read(min(size, _BLOCK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
