"""Reader classes: from file names in a queue to records."""

from __future__ import annotations

from typing import Any

from ...formats.record_file import TFRecordOptions
from ...graph.convert import convert_to_tensor
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import int64, resource
from .reader_ops import (
    NUM_RECORDS_PRODUCED,
    NUM_WORK_UNITS_COMPLETED,
    READ,
    READ_UP_TO,
    READERS,
    RESET,
    RESTORE_STATE,
    SERIALIZE_STATE,
)

public = {
    "td": (
        "FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader "
        "WholeFileReader"
    ),
}


class ReaderBase:
    """Base class of readers, which take work from a queue and return keys and values.

    Args:
        reader_ref: the handle of the reader.
        supports_serialize: whether its state can be kept.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     names = td.train.string_input_producer(["a", "b"], shuffle=False)
        ...     reader = td.IdentityReader()
        ...     key, value = reader.read(names)
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(value), session.run(value), session.run(reader.num_records_produced())
        (b'a', b'b', np.int64(2))
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """True if the state of the reader can be serialized."""
        return self._supports_serialize

    def _op(self, versions: dict[str, OpDef[Any]]) -> OpDef[Any]:
        return versions["V2" if self._reader_ref.dtype is resource else ""]

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record.

        Args:
            queue: a queue of the names of files, or its handle.
            name: a name for the op.

        Returns:
            A pair of string scalars, the key and the value.

        Raises:
            OutOfRangeError: in a run, the queue is closed and there is nothing more.
        """
        return self._op(READ)(self._reader_ref, _handle(queue), name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records, at least one and at most so many: those of one file at a time.

        Args:
            queue: a queue of the names of files, or its handle.
            num_records: how many at most: an int64 scalar.
            name: a name for the op.

        Returns:
            A pair of string vectors, the keys and the values.

        Raises:
            OutOfRangeError: in a run, the queue is closed and there is nothing more.
        """
        number = convert_to_tensor(num_records, int64) if _plain(num_records) else num_records
        return self._op(READ_UP_TO)(self._reader_ref, _handle(queue), number, name=name)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Number of records read: an int64 scalar."""
        return self._op(NUM_RECORDS_PRODUCED)(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Number of files read to the end: an int64 scalar."""
        return self._op(NUM_WORK_UNITS_COMPLETED)(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Position of the reader: a string scalar, for `restore_state`.

        Raises:
            UnimplementedError: in a run, readers of this kind may be inside a file.
        """
        return self._op(SERIALIZE_STATE)(self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """An op that brings the reader to where it was.

        Args:
            state: what `serialize_state` gave: a string scalar.
            name: a name for the op.

        Raises:
            UnimplementedError: in a run, readers of this kind may be inside a file.
            InvalidArgumentError: in a run, it is not such a state.
        """
        return self._op(RESTORE_STATE)(self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """An op that brings the reader to where it was at first."""
        return self._op(RESET)(self._reader_ref, name=name)


def _plain(value: Any) -> bool:
    return not hasattr(value, "dtype")


def _handle(queue: Any) -> Any:
    return getattr(queue, "queue_ref", queue)


class WholeFileReader(ReaderBase):
    """Reads whole files: the key is the name, the value what the file holds.

    Args:
        name: a name for the op.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "note")
        >>> with open(path, "w") as file:
        ...     _ = file.write("seven")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     _, value = td.WholeFileReader().read(td.train.string_input_producer([path]))
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(value)
        b'seven'
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(READERS["WholeFileReader"]["V2"](name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    r"""Reads the lines of text files: the key is `name:number`, the value the line.

    Args:
        skip_header_lines: how many lines at the beginning of each file are left out.
        name: a name for the op.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("x,y\n1,2\n3,4\n")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     reader = td.TextLineReader(skip_header_lines=1)
        ...     _, value = reader.read(td.train.string_input_producer([path]))
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(value), session.run(value)
        (b'1,2', b'3,4')
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        handle = READERS["TextLineReader"]["V2"](skip_header_lines=skip_header_lines, name=name)
        super().__init__(handle)


class FixedLengthRecordReader(ReaderBase):
    """Reads records of one length: the key is `name:number`, from 0.

    Args:
        record_bytes: the length of a record.
        header_bytes: what is left out at the beginning of each file.
        footer_bytes: what is left out at its end.
        hop_bytes: from the beginning of one record to that of the next; by default `record_bytes`.
        name: a name for the op.
        encoding: "ZLIB" or "GZIP" where files are compressed.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.bin")
        >>> with open(path, "wb") as file:
        ...     _ = file.write(b"HEADaabbcc")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     reader = td.FixedLengthRecordReader(record_bytes=2, header_bytes=4)
        ...     _, value = reader.read(td.train.string_input_producer([path]))
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(value), session.run(value)
        (b'aa', b'bb')
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        handle = READERS["FixedLengthRecordReader"]["V2"](
            record_bytes=record_bytes,
            header_bytes=header_bytes,
            footer_bytes=footer_bytes,
            hop_bytes=hop_bytes,
            encoding=encoding,
            name=name,
        )
        super().__init__(handle)


class TFRecordReader(ReaderBase):
    """Reads the records of TensorFlow's record files: the key is `name:offset`.

    Args:
        name: a name for the op.
        options: a `td.python_io.TFRecordOptions` where files are compressed.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecords")
        >>> with td.python_io.TFRecordWriter(path) as writer:
        ...     writer.write(b"one")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     _, value = td.TFRecordReader().read(td.train.string_input_producer([path]))
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(value)
        b'one'
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        kind = TFRecordOptions.get_compression_type_string(options)
        super().__init__(READERS["TFRecordReader"]["V2"](compression_type=kind, name=name))


class IdentityReader(ReaderBase):
    """Reads what is in the queue, as key and as value.

    Args:
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     _, value = td.IdentityReader().read(td.train.string_input_producer(["work"]))
        ...     threads = td.train.start_queue_runners(session)
        ...     session.run(value)
        b'work'
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(READERS["IdentityReader"]["V2"](name=name), supports_serialize=True)
