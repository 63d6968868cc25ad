"""What the user has called: its name and arguments for messages, and tracebacks that end there.

Public functions are guarded where they are handed out: an error that is meant for the user leaves
them without the frames of the library, in one piece.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...protos.config import config
from .alike import meant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Function = TypeVar("Function", bound=Callable[..., Any])

_UNEXPECTED = re.compile(r"^(?:\w+\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_PACKAGE = __name__.partition(".")[0]
_LIBRARIES = (_PACKAGE, "numpy", "importlib")

# What is not said to users, but a defect, whose frames are needed to find it.
_DEFECTS = (ArithmeticError, AssertionError, AttributeError, NameError, RecursionError)

# Arguments that op types have under other names than functions.
WIRE_NAMES = {
    "concat_dim": "axis",
    "dim": "axis",
    "dimension": "axis",
    "reduction_indices": "axis",
    "split_dim": "axis",
    "squeeze_dims": "axis",
}


def guarded(function: Function, name: str = "") -> Function:
    """`function`, whose errors come without what lies inside of it.

    Args:
        function: a public function or method.
        name: what messages call it; by default its name.
    """
    trim = _trimmed_of

    def guard(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # IPython and pytest leave such frames out
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - it goes on
            raise trim(error, function)  # noqa: B904 - td.config.full_tracebacks shows the rest

    # A name of its own tells, while an op is built, which function the user has called; with the
    # globals of the function it counts as part of the function's module.
    name = name or function.__name__
    code = guard.__code__.replace(co_name=name, co_qualname=name)
    made: Any = FunctionType(code, function.__globals__, name, None, guard.__closure__)
    functools.update_wrapper(made, function)
    result: Function = made
    return result


_GUARD = guarded.__code__.co_filename


def is_ours(frame: FrameType) -> bool:
    """Whether a frame is of this library."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE


def guard_name(frame: FrameType) -> str:
    """What the user has called, if `frame` is that of a guard; "" otherwise."""
    return frame.f_code.co_name if frame.f_code.co_filename is _GUARD else ""


def trimmed(error: BaseException) -> BaseException:
    """The error with the user's own frames alone, and without what it was made of.

    What it was made of stays where it happened in the user's own code, as in a `py_func`.
    """
    if config.full_tracebacks or isinstance(error, _DEFECTS):
        return error
    error.__traceback__ = _user_frames(error.__traceback__)
    reason = _reason(error)
    while reason is not None and reason.__traceback__ is not None:
        reason.__traceback__ = _user_frames(reason.__traceback__)
        if reason.__traceback__ is not None:
            break
        reason = _reason(reason)
    if reason is not _reason(error):
        error.__cause__, error.__context__ = None, reason
        error.__suppress_context__ = reason is None
    return error


def _reason(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _trimmed_of(error: BaseException, function: Callable[..., Any]) -> BaseException:
    """The error that leaves a guarded function."""
    if type(error) is TypeError:
        wrong = _UNEXPECTED.search(str(error))
        if wrong is not None and wrong[1] == function.__name__:
            known = [name for name in inspect.signature(function).parameters if name != "self"]
            hint = meant(wrong[2], known, before=": ") or f": it takes {', '.join(known)}"
            error.args = (f"{wrong[0]}{hint}",)
    return trimmed(error)


def _user_frames(trace: TracebackType | None) -> TracebackType | None:
    frames: list[TracebackType] = []
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] not in _LIBRARIES:
            frames.append(trace)
        trace = trace.tb_next
    kept: TracebackType | None = None
    for trace in reversed(frames):
        kept = TracebackType(kept, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    return kept


class PublicCall(NamedTuple):
    """A call of a public function: its name, and its arguments by theirs."""

    name: str
    arguments: dict[str, Any]

    def argument(self, value: Any) -> str | None:
        """What the user knows `value` as: `b`, `values[1]`; None if it is no argument."""
        for name, item in self.items():
            if item is value:
                return name
        return None

    def items(self) -> Iterator[tuple[str, Any]]:
        """The arguments, and what is in lists among them."""
        for name, value in self.arguments.items():
            yield name, value
            if isinstance(value, (list, tuple)):
                yield from ((f"{name}[{i}]", item) for i, item in enumerate(value))

    def spelled(self, wire_name: str) -> str:
        """What the user knows an argument of an op type as."""
        known = WIRE_NAMES.get(wire_name, wire_name)
        return known if known in self.arguments else wire_name


def public_call() -> PublicCall | None:
    """What the user has called; None where that is no guarded function."""
    frame: FrameType | None = sys._getframe(1)
    last: FrameType | None = None
    while frame is not None and is_ours(frame):
        last = frame if guard_name(frame) else last
        frame = frame.f_back
    if last is None:
        return None
    function, args, kwargs = (last.f_locals.get(key) for key in ("function", "args", "kwargs"))
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)  # type: ignore[arg-type, misc]
    except TypeError:
        return PublicCall(guard_name(last), dict(kwargs or {}))
    bound.apply_defaults()
    return PublicCall(guard_name(last), dict(bound.arguments))
