"""`tensorflow.python.pywrap_tensorflow.EventsWriter`: event files, event by event."""

from __future__ import annotations

import os
import socket
import time
from os import PathLike

from ...formats.record_file import TFRecordWriter
from ...protos.messages import Event


class EventsWriter:
    """Writes events into a file beside others; it is made at the first event.

    Args:
        file_prefix: what its name begins with, folders included.
    """

    def __init__(self, file_prefix: str | bytes | PathLike[str]) -> None:
        self._prefix = os.fsdecode(file_prefix)
        self._suffix = ""
        self._writer: TFRecordWriter | None = None
        self._name = ""

    def InitWithSuffix(self, suffix: str | bytes) -> None:  # noqa: N802 - TensorFlow's names
        """Has the name of the file end with something."""
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
        """Hands what was written to the operating system."""
        if self._writer is not None:
            self._writer.flush()

    def Close(self) -> None:  # noqa: N802
        """Ends the file; a further event begins another."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
