"""Random generators, which live in the session, and the seeds that they start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.default_scopes import get_seed

if TYPE_CHECKING:
    from ...shape_inference.context import KernelContext

_WORD = 2**64 - 1


def generator_of(c: KernelContext) -> np.random.Generator:
    """The generator of an op, which lives in the session: seeded, or with no seed at random."""
    generator = c.state.get(c.node)
    if generator is None:
        seeds = [c.attr("seed") & _WORD, c.attr("seed2") & _WORD]
        generator = np.random.default_rng(seeds if any(seeds) else None)
        generator = c.state.setdefault(c.node, generator)
    result: np.random.Generator = generator
    return result


def seed_attrs(seed: int | None) -> dict[str, Any]:
    """The attrs of an op that is made with `seed`; both are 0 where nothing is to be repeated."""
    first, second = get_seed(seed)
    if first is None and second is None:
        return {"seed": 0, "seed2": 0}
    pair = first or 0, second or 0
    return dict(zip(("seed", "seed2"), pair if any(pair) else (0, 2**31 - 1), strict=True))
