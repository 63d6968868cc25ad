"""`tensorflow.python.pywrap_tensorflow.EventsWriter`: event files, event by event."""

from __future__ import annotations

import os
import socket
import time
from os import PathLike

from ...formats.record_file import TFRecordWriter
from ...protos.messages import Event


class EventsWriter:
    """Writes events to a file, which is created at the first event.

    Args:
        file_prefix: the prefix of its path.
    """

    def __init__(self, file_prefix: str | bytes | PathLike[str]) -> None:
        self._prefix = os.fsdecode(file_prefix)
        self._suffix = ""
        self._writer: TFRecordWriter | None = None
        self._name = ""

    def InitWithSuffix(self, suffix: str | bytes) -> None:  # noqa: N802 - TensorFlow's names
        """Sets the suffix of the file name."""
        self._suffix = os.fsdecode(suffix)

    def FileName(self) -> bytes:  # noqa: N802
        """The name of the file, empty before the first event."""
        return os.fsencode(self._name)

    def WriteEvent(self, event: Event) -> None:  # noqa: N802
        """Writes an event."""
        if self._writer is None:
            now = time.time()
            host = socket.gethostname()
            self._name = f"{self._prefix}.out.tfevents.{int(now):010d}.{host}{self._suffix}"
            self._writer = TFRecordWriter(self._name)
            first = Event(wall_time=now, file_version="brain.Event:2")
            self._writer.write(first.SerializeToString())
        self._writer.write(event.SerializeToString())

    def Flush(self) -> None:  # noqa: N802
        """Flushes the file."""
        if self._writer is not None:
            self._writer.flush()

    def Close(self) -> None:  # noqa: N802
        """Closes the file; the next event starts another."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
