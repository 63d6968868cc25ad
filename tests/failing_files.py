"""File operations that fail, one after the other: an error, a full disk, a short write, a kill."""

from __future__ import annotations

import builtins
import errno
import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALLS = "open close replace rename remove unlink rmdir mkdir link stat chmod fsync scandir listdir"
KINDS = ("error", "full", "short", "kill")
EXIT_STATUS = 86


class Killed(BaseException):
    """The end of a process: from then on no operation changes a file."""


class Operations:
    """The file operations of a block, of which one fails.

    Args:
        failing: the number of the one that fails; None for none.
        kind: how it fails, one of `KINDS`. "short" takes half of the data, and nothing afterwards.
            "exit" ends this process: for children that are forked for that.
    """

    def __init__(self, failing: int | None, kind: str) -> None:
        self.count = 0
        self.names: list[str] = []
        self._failing, self._kind = failing, kind
        self.dead = self._full = False

    def next(self, name: str) -> bool:
        """Counts an operation; whether it is to be done by half."""
        if self.dead:
            raise Killed
        number, self.count = self.count, self.count + 1
        self.names.append(name)
        if name == "write" and self._full:
            self._full = False
            raise self.error()
        if number != self._failing:
            return False
        if self._kind == "exit":
            os._exit(EXIT_STATUS)
        if self._kind == "kill":
            self.dead = True
            raise Killed
        if self._kind == "short" and name == "write":
            self._full = True
            return True
        raise self.error()

    def error(self) -> OSError:
        number = errno.EIO if self._kind == "error" else errno.ENOSPC
        return OSError(number, os.strerror(number))


@contextmanager
def failing(at: int | None, kind: str = "error") -> Iterator[Operations]:
    """Lets the file operation of number `at` in a block fail; a `Killed` ends the block."""
    operations = Operations(at, kind)
    plain_open = builtins.open

    class Raw(io.FileIO):
        def write(self, data: Any) -> Any:
            if operations.next("write"):
                return super().write(memoryview(data).cast("B")[: memoryview(data).nbytes // 2])
            return super().write(data)

        def close(self) -> None:
            closed = self.closed
            super().close()
            if not closed and not operations.dead:
                operations.next("close")

    def opened(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **more: Any) -> Any:
        if not isinstance(file, int):
            operations.next("open")
        if "b" in mode and "r" not in mode:
            raw = Raw(file, mode.replace("b", ""), opener=more.get("opener"))
            return raw if buffering == 0 else io.BufferedWriter(raw)
        return plain_open(file, mode, buffering, *rest, **more)

    def counted(name: str) -> Any:
        plain = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if name == "close":  # it closes in any case
                plain(*args, **kwargs)
            operations.next(name)
            if name in ("fsync", "close"):  # it takes long
                return None
            return plain(*args, **kwargs)

        return call

    patches = [mock.patch.object(os, name, counted(name)) for name in _CALLS.split()]
    patches += [mock.patch.object(module, "open", opened) for module in (builtins, io)]
    for patch in patches:
        patch.start()
    try:
        yield operations
    except Killed:
        pass
    finally:
        for patch in patches:
            patch.stop()
