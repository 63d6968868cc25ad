"""Guards of public functions and classes: tracebacks that end at the call, readable `help`."""

from __future__ import annotations

from inspect import Signature, isclass, isfunction
from typing import Any

from .public_calls import guarded

# Classes that the library itself works with all the time guard what they want to guard.
_OWN_GUARDS = {"Dimension", "DType", "Graph", "OpDef", "Operation", "Session", "Tensor"}
_PLAIN = {"td.logging"}  # its functions look for the caller's line
_PACKAGE = __name__.partition(".")[0]
_made: dict[Any, Any] = {}


class _Unquoted(str):
    """Annotation that `help` shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def handed_out(item: Any, namespace: str, name: str) -> Any:
    """Public form of an object: functions and methods of classes are guarded.

    The guard of a function is in the namespace only; the module that defines it keeps the function
    itself. So that pickles find the guard, it states the first public name that was looked up.

    Args:
        item: the object.
        namespace: the namespace in which it was looked up.
        name: its name there.
    """
    if namespace in _PLAIN:
        return item
    if isfunction(item):
        if item not in _made:
            _unquote(item)
            made = guarded(item)
            made.__module__, made.__qualname__ = namespace.replace("td", _PACKAGE, 1), name
            _made.setdefault(item, made)
        return _made[item]
    if isclass(item):
        for cls in item.__mro__:
            if cls not in _made and cls.__module__.partition(".")[0] == _PACKAGE:
                _made[cls] = cls
                _prepare(cls)
    return item


def _prepare(cls: Any) -> None:
    for name, member in list(vars(cls).items()):
        kind = type(member) if isinstance(member, (classmethod, staticmethod)) else None
        method = member if kind is None else member.__func__
        if not isfunction(method) or (name.startswith("_") and name not in _CALLED):
            continue
        _unquote(method)
        if cls.__name__ not in _OWN_GUARDS:
            made = guarded(method, cls.__name__ if name in _CALLED else "")
            setattr(cls, name, made if kind is None else kind(made))


_CALLED = ("__init__", "__call__")


def _unquote(function: Any) -> None:
    """Makes `help` show the annotations of a function without quotes."""
    notes = function.__annotations__
    notes.update({key: _Unquoted(note) for key, note in notes.items() if type(note) is str})
    stated: Signature | None = vars(function).get("__signature__")
    if stated is not None:
        plain = [
            item.replace(annotation=_plain(item.annotation)) for item in stated.parameters.values()
        ]
        function.__signature__ = stated.replace(
            parameters=plain, return_annotation=_plain(stated.return_annotation)
        )


def _plain(note: Any) -> Any:
    return _Unquoted(note) if type(note) is str else note
