"""Limits on what clients may ask of a server."""

from __future__ import annotations

from dataclasses import dataclass, fields

public = {"td.serving": "Limits"}

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of a server; a request beyond one of them is refused, and the rest goes on.

    Args:
        request_bytes: the size of a request, and of the JSON that a compressed one holds.
        tensor_bytes: the size of an input as an array: a message of a few bytes may state a shape
            of billions of elements.
        json_lists: the number of lists and objects in a request in JSON.
        json_values: the number of values in a request in JSON.
        pending: the number of requests that wait for a thread, or run; more are refused at once
            with RESOURCE_EXHAUSTED (429).
        connections: the number of open connections, for REST and for requests by gRPC.
        seconds: how long a run may take, unless the client gives a shorter deadline.
        receive_seconds: how long a client may take to send a request by REST.
        memory: the number of bytes that all models together may take; None for no limit.

    Raises:
        ValueError: a limit is not positive.

    Example:
        >>> td.serving.Limits(pending=8).pending
        8
    """

    request_bytes: int = 64 * _MIB
    tensor_bytes: int = 256 * _MIB
    json_lists: int = 1 << 20
    json_values: int = 1 << 23
    pending: int = 256
    connections: int = 1000
    seconds: float = 60.0
    receive_seconds: float = 30.0
    memory: int | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None and not value > 0:
                raise ValueError(f"{item.name} must be positive, got {value}")
