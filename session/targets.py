"""Registry of session classes for targets other than this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Elsewhere(NamedTuple):
    """Sessions of another class.

    Args:
        takes: whether a target is theirs.
        load: brings in the class, which takes the arguments of `td.Session`.
    """

    takes: Callable[[Any], bool]
    load: Callable[[], Any]


_elsewhere: list[Elsewhere] = []


def offer_sessions(takes: Callable[[Any], bool], load: Callable[[], Any]) -> None:
    """Says that sessions of some targets are of another class."""
    _elsewhere.append(Elsewhere(takes, load))


def class_for(target: Any) -> Any:
    """The class of the sessions of a target, where that is not Session itself; else None."""
    return next((other.load() for other in _elsewhere if other.takes(target)), None)


def is_cluster(target: Any) -> bool:
    """Returns whether a target is a dask cluster: "dask", "dask://host:port", or a Client."""
    if isinstance(target, bytes):
        target = target.decode(errors="replace")
    if isinstance(target, str):
        return target == "dask" or target.startswith("dask://")
    return hasattr(target, "scatter") and hasattr(target, "gather")
