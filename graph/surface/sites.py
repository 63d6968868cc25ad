"""Lines of the user's program: which one made an op, and which one a warning is about."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, NamedTuple

from .public_calls import guard_name, is_ours

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])


class Site(NamedTuple):
    """The line of the user's program that made an op, and the public function called there."""

    file: str
    line: int
    call: str = ""

    def __str__(self) -> str:
        cell = _cell(self.file)
        return f"{_shown(self.file)}:{self.line}" if cell is None else f"{cell}, line {self.line}"


_STARTS: set[CodeType] = set()


def starts_here(function: Function) -> Function:
    """Says that `function` begins a program of ours: what called it made no op."""
    _STARTS.add(function.__code__)
    return function


def _shown(file: str) -> str:
    """A path as one would write it: from where one stands, if it is below that."""
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:
        return file
    return file.removeprefix(here)


def _cell(file: str) -> str | None:
    """What a notebook calls the code that it has compiled under the name of a file."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"Cell In[{numbers[file]}]" if file in numbers else None


def user_site(told: bool = True) -> Site | None:
    """The innermost frame that is not ours.

    Args:
        told: whether what is called there tells anything of the ops that come of it.
    """
    frame: FrameType | None = sys._getframe(1)  # inspect.stack() would read source files
    last = frame
    while frame is not None:
        if frame.f_code in _STARTS:
            return None
        if not is_ours(frame):
            call = guard_name(last) if told and last is not None else ""
            return Site(frame.f_code.co_filename, frame.f_lineno, call)
        frame, last = frame.f_back, frame
    return None


def user_line() -> str:
    """The user's line, as `, at model.py:9`; "" where there is none."""
    site = user_site()
    return "" if site is None else f"at {site}"


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns of something at the line of the user's program that asked for it."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
