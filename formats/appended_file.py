"""Files that grow at their end, and remain whole up to there when a write fails."""

from __future__ import annotations

from contextlib import suppress
from os import PathLike
from typing import Self

_MOST_WAITING = 1 << 16


class AppendedFile:
    """A file of bytes that are written in some amount at a time.

    Python's own buffer loses the rest of a large write that fails in the middle, and what comes
    next then stands behind half a record. Here, bytes wait until the system has taken them, so that
    a file on a full disk goes on where it stopped once there is room.

    Args:
        path: the file.
        exclusive: whether it must be new; otherwise it is replaced.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: str | PathLike[str], *, exclusive: bool = False) -> None:
        self._raw = open(path, "xb" if exclusive else "wb", buffering=0)  # noqa: SIM115
        self._waiting = bytearray()

    def write(self, data: bytes) -> None:
        """Appends bytes, now or with later ones.

        Raises:
            OSError: the system did not take all that waits; what it did not take waits further.
        """
        self._waiting += data
        if len(self._waiting) >= _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Hands what waits to the system.

        Raises:
            OSError: the system did not take all of it; the rest waits further.
        """
        while self._waiting:
            taken = self._raw.write(self._waiting)
            del self._waiting[:taken]

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._raw.closed

    def close(self) -> None:
        """Flushes, and closes the file whether or not that succeeds.

        Raises:
            OSError: the system did not take all.
        """
        if self._raw.closed:
            return
        try:
            self.flush()
        finally:
            self._raw.close()

    def __del__(self) -> None:
        if hasattr(self, "_raw"):  # it was opened
            with suppress(OSError):
                self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
