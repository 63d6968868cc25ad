"""Random streams, which are kept in the session, and their seeds."""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from typing import Any

import numpy as np

from ...graph.default_scopes import get_seed
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from .distributions import RESERVED
from .philox import Philox, seeded

PHILOX, AUTOMATIC = 1, 3  # numbers of algorithms; the second leaves the choice to the device
_WORD = 2**64 - 1


def stream_of(c: KernelContext) -> Philox:
    """The stream of an op, which lives in the session: seeded, or with no seed at random.

    `seed` is the key of the generator, and `seed2` the upper half of its counter.
    """
    return _stream_in(c.state, c.node)


def _stream_in(state: MutableMapping[Any, Any], op: Any) -> Philox:
    stream = state.get(op)
    if stream is None:
        start = seeded_or_random(op.attrs["seed"], op.attrs["seed2"])
        stream = state.setdefault(op, start)
    return stream


def reserved_part(state: MutableMapping[Any, Any], op: Any, numbers: int) -> tuple[Array, Array]:
    """Key and counter of an op's stream, which then skips the next `number` numbers.

    Args:
        state: the session's store for stateful ops.
        op: the operation.
        numbers: how many it would draw.
    """
    return key_and_counter(_stream_in(state, op).reserve(numbers * RESERVED))


def key_and_counter(stream: Philox) -> tuple[Array, Array]:
    """A stream as arrays: its key, and its counter in two halves, the lower first."""
    halves = [stream.counter & _WORD, stream.counter >> 64]
    return np.array([stream.key], np.uint64), np.array(halves, np.uint64)


def stream_of_key(key: Array, counter: Array, alg: Array) -> Philox:
    """The stream of a key, a counter and the number of an algorithm."""
    if alg.ndim or int(alg) not in (PHILOX, AUTOMATIC):
        raise ValueError(f"alg must be {PHILOX} (Philox) or {AUTOMATIC}, got {alg.tolist()}")
    if key.shape != (1,):
        raise ValueError(f"key must have shape [1], got {list(key.shape)}")
    if counter.ndim != 1 or len(counter) < 2:
        raise ValueError(f"counter must have shape [2], got {list(counter.shape)}")
    return Philox(int(key[0]), int(counter[1]) << 64 | int(counter[0]))


def stream_of_seeds(seed: Array) -> Philox:
    """The stream of two seeds, which are put through the generator once."""
    if seed.shape != (2,):
        raise ValueError(f"seed must have shape [2], got {list(seed.shape)}")
    return seeded(int(seed[0]), int(seed[1]))


def restart_stream(state: MutableMapping[Any, Any], op: Any) -> None:
    """Restarts the stream of an op, if it has one with a seed.

    Args:
        state: the session's store for stateful ops.
        op: the operation.
    """
    stream = state.get(op)
    if isinstance(stream, Philox):
        seed, seed2 = op.attrs.get("seed", 0), op.attrs.get("seed2", 0)
        if seed or seed2:
            stream.counter = seeded_or_random(seed, seed2).counter


def seeded_or_random(seed: int, seed2: int) -> Philox:
    """The stream of two seeds; one at random where both are 0."""
    first, second = seed & _WORD, seed2 & _WORD
    if not first and not second:
        first, second = secrets.randbits(64), secrets.randbits(64)
    return Philox(first, second << 64)


def seed_attrs(seed: int | None) -> dict[str, Any]:
    """The attrs of an op that is made with `seed`; both are 0 where nothing is to be repeated."""
    first, second = get_seed(seed)
    if first is None and second is None:
        return {"seed": 0, "seed2": 0}
    pair = first or 0, second or 0
    return dict(zip(("seed", "seed2"), pair if any(pair) else (0, 2**31 - 1), strict=True))
