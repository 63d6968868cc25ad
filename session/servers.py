"""Servers in this process: state shared by sessions of one target, and their devices."""

from __future__ import annotations

import threading
from collections.abc import Collection
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakSet

from ..runtime import errors
from ..runtime.waiting import WAITS

_lock = threading.Lock()
_states: dict[str, dict[Any, Any]] = {}
_sessions: dict[str, WeakSet[Any]] = {}
_numbers = count(1)


class DeviceAttributes(NamedTuple):
    """A device, as `Session.list_devices` lists it."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int


CPU = DeviceAttributes("/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 2**28, 1)
"""The one device there is; TensorFlow, too, has its memory be 256 MiB, whatever there is."""


def started(address: str | None) -> str:
    """The target of a server that is started; of the same one if it has been started before."""
    with _lock:
        target = f"grpc://{address or f'localhost:{next(_numbers)}'}"
        _states.setdefault(target, {})
    return target


def state_of(target: str | bytes | None) -> dict[Any, Any] | None:
    """The store for stateful ops of a new session; None where there is no such server."""
    name = _text(target)
    if not name:
        return {}
    shared = _states.get(name)
    return None if shared is None else _ServerState(shared)


def _text(target: str | bytes | None) -> str:
    return target.decode(errors="replace") if isinstance(target, bytes) else target or ""


def connect(target: Any, session: Any) -> None:
    """Registers a session for a target by a weak reference."""
    if target is None or isinstance(target, (str, bytes)):
        with _lock:
            _sessions.setdefault(_text(target), WeakSet()).add(session)


def reset(target: str | bytes | None, containers: Collection[str] | None) -> list[Any]:
    """Drops the state of a target's server, in some of its containers or in all.

    Returns:
        The sessions of the target, which are to end.

    Raises:
        NotFoundError: there is no such server.
    """
    name = _text(target)
    if name and name not in _states:
        raise errors.NotFoundError(None, None, f"there is no server of the target {name!r}")
    with _lock:
        shared, kept = _states.get(name, {}), {}
        if containers:
            gone = {"" if container == "localhost" else container for container in containers}
            kept = {key: item for key, item in shared.items() if _container(key) not in gone}
        shared.clear()
        shared.update(kept)
        return list(_sessions.pop(name, ()))


def _container(key: Any) -> str:
    """Container of a key: a kind, a container and a name, or an op's own."""
    named = isinstance(key, tuple) and len(key) > 1
    if named and key[0] == "own":
        place = key[1].attrs.get("container", b"")
    else:
        place = key[1] if named else b""
    return place.decode(errors="replace") if isinstance(place, bytes) else str(place)


class _ServerState(dict[Any, Any]):
    """Store of a server, in which a session owns only its wait events."""

    def __init__(self, shared: dict[Any, Any]) -> None:
        super().__init__()
        self._shared = shared

    def _home(self, key: Any) -> dict[Any, Any]:
        return self._shared

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key, default) if key == WAITS else self._shared.get(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key == WAITS:
            return super().setdefault(key, default)
        return self._shared.setdefault(key, default)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key) if key == WAITS else self._shared[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if key == WAITS:
            super().__setitem__(key, value)
        else:
            self._shared[key] = value

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) if key == WAITS else key in self._shared
