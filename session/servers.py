"""Servers in this process: what sessions of one target share."""

from __future__ import annotations

import threading
from itertools import count
from typing import Any

from ..graph.waiting import WAITS

_lock = threading.Lock()
_states: dict[str, dict[Any, Any]] = {}
_numbers = count(1)


def started(address: str | None) -> str:
    """The target of a server that is started; of the same one if it has been started before."""
    with _lock:
        target = f"grpc://{address or f'localhost:{next(_numbers)}'}"
        _states.setdefault(target, {})
    return target


def state_of(target: str | bytes | None) -> dict[Any, Any] | None:
    """The store for stateful ops of a new session; None where there is no such server."""
    if not target:
        return {}
    name = target.decode(errors="replace") if isinstance(target, bytes) else target
    shared = _states.get(name)
    return None if shared is None else _ServerState(shared)


class _ServerState(dict[Any, Any]):
    """The store of a server, in which a session has nothing of its own but what it waits for."""

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
