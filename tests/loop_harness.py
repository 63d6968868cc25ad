"""Loops whose number of rounds is fed, and what they give before and after they get hot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensordraft as td


def loop(body: Callable[..., Any], *start: Any, name: str = "while") -> list[td.Tensor]:
    """The state after `n` rounds, which is fed, of a body of the round and the state."""
    n = td.placeholder(td.int32, [], name="n")
    shapes = [td.TensorShape([]), *[td.TensorShape(None) for _ in start]]
    state: list[td.Tensor]
    _, *state = td.while_loop(
        lambda i, *_: i < n,
        lambda i, *state: (i + 1, *body(i, *state)),
        [td.constant(0), *map(td.convert_to_tensor, start)],
        shape_invariants=shapes,
        name=name,
    )
    return state


def results(fetches: Any, rounds: int, feeds: dict[Any, Any] | None = None) -> list[Any]:
    """Results of two runs; the loop is lowered in the first."""
    with td.Session() as session:
        return [session.run(fetches, {"n:0": rounds, **(feeds or {})}) for _ in range(2)]


def both(fetches: Any, rounds: int, feeds: dict[Any, Any] | None = None) -> Any:
    """The common result of two runs."""
    first, second = results(fetches, rounds, feeds)
    np.testing.assert_equal(first, second)
    return first


def traced(fetches: Any, rounds: int, feeds: dict[Any, Any] | None = None) -> td.RunMetadata:
    metadata = td.RunMetadata()
    with td.Session() as session:
        options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        session.run(fetches, {"n:0": rounds, **(feeds or {})}, options, metadata)
    return metadata
