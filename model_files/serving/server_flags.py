"""The server that the flags of `tensordraft serve` describe.

It is apart from the command, so that no other command imports the server.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...runtime.thread_pools import processors
from .batching import Batching
from .config_files import read_batching
from .limits import Limits
from .server import Server, Tls

if TYPE_CHECKING:
    from argparse import Namespace


def server_of(flags: Namespace) -> Server:
    """The server that flags describe.

    Args:
        flags: those of the command.

    Raises:
        ValueError: flags do not go together, or a number is out of range.
        OpError: there is no model at the path, or a file cannot be read.
    """
    if flags.client_authority and not flags.tls:
        raise ValueError("--client-authority goes with --tls")
    return Server(
        flags.path,
        flags.name,
        host=flags.host,
        port=flags.port,
        rest_port=flags.rest_port,
        limits=Limits(
            request_bytes=flags.max_request,
            tensor_bytes=flags.max_tensor,
            pending=flags.max_pending,
            connections=flags.max_connections,
            seconds=flags.timeout,
            memory=flags.memory,
        ),
        batching=_batching(flags.batching),
        trusted=flags.trusted,
        poll_seconds=flags.poll_seconds,
        threads=flags.threads,
        run_threads=flags.run_threads,
        tls=_tls(flags),
        allow_reload=flags.allow_reload,
        request_log=sys.stdout if flags.log_requests else None,
    )


def _tls(flags: Namespace) -> Tls | None:
    if not flags.tls:
        return None
    certificate, key = flags.tls
    return Tls(certificate, key, flags.client_authority)


def _batching(path: str | None) -> Batching | None:
    if path is None:
        return None
    return read_batching(path) if path else Batching(num_batch_threads=processors())
