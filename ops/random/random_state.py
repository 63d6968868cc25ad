"""Random streams, which live in the session, and the seeds that they start from."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from ...graph.default_scopes import get_seed
from .philox import Philox

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from ...shape_inference.context import KernelContext

_WORD = 2**64 - 1


def stream_of(c: KernelContext) -> Philox:
    """The stream of an op, which lives in the session: seeded, or with no seed at random.

    `seed` is the key of the generator, and `seed2` the upper half of its counter.
    """
    stream = c.state.get(c.node)
    if stream is None:
        stream = c.state.setdefault(c.node, seeded_or_random(c.attr("seed"), c.attr("seed2")))
    result: Philox = stream
    return result


def restart_stream(state: MutableMapping[Any, Any], op: Any) -> None:
    """Has the stream of an op, if it has one with a seed, begin anew.

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
