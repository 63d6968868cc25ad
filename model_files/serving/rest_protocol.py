"""The protocol of HTTP with limits on slow and on many clients."""

from __future__ import annotations

import asyncio
from typing import Any

from .limits import Limits
from .packages import uvicorn


def protocol_class(limits: Limits) -> type[Any]:
    """The class of uvicorn's protocol, with limits on connections that send no request.

    uvicorn itself limits requests and the time between two of them, but not how long a client
    takes to send the first, nor how many connections wait.

    Args:
        limits: the limits.
    """
    uvicorn()
    from uvicorn.protocols.http.h11_impl import H11Protocol

    connected: set[Any] = set()

    class LimitedProtocol(H11Protocol):  # type: ignore[misc, unused-ignore]
        """A connection that is closed unless a request arrives in time."""

        _slow: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Takes a connection, unless there are too many."""
            super().connection_made(transport)
            if len(connected) >= limits.connections:
                transport.close()
                return
            connected.add(self)
            self._slow = self.loop.call_later(limits.receive_seconds, self._give_up)

        def _give_up(self) -> None:
            begun: Any = self.cycle  # uvicorn states that it is never None
            if begun is None:
                self.transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            """Forgets the connection."""
            connected.discard(self)
            if self._slow is not None:
                self._slow.cancel()
            super().connection_lost(exc)

    return LimitedProtocol
