"""Frames of the stack: which are this library's, and where the user's program is."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = __name__.partition(".")[0]
_STARTS: set[CodeType] = set()


def starts_here(function: Function) -> Function:
    """Says that `function` begins a program of ours: what called it made no op."""
    _STARTS.add(function.__code__)
    return function


def starts(frame: FrameType) -> bool:
    """Returns whether a program of ours begins with a frame."""
    return frame.f_code in _STARTS


def home(frame: FrameType) -> str:
    """The package that a frame is of."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def is_ours(frame: FrameType) -> bool:
    """Returns whether a frame is of this library."""
    return home(frame) == _PACKAGE
