"""Lines of the user's program: which one made an op, and which one a warning is about."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import FrameType

_PACKAGE = __name__.partition(".")[0]


class Site(NamedTuple):
    """The line of the user's program that made an op."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file.rpartition('/')[2]}:{self.line}"


def user_site() -> Site | None:
    """The innermost frame that is not ours."""
    frame: FrameType | None = sys._getframe(1)  # inspect.stack() would read source files
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE:
            return Site(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def warn_user(message: str) -> None:
    """Warns of something at the line of the user's program that asked for it."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
