"""Random numbers: `td.random`."""

from __future__ import annotations

from ..graph.absent import missing as _missing
from ..graph.functions import get_seed as get_seed, set_random_seed as set_random_seed
from ..graph.namespace import public_names as _public_names
from ..ops import (
    random as _random,
    random_counts as _random_counts,
)
from ..ops.random import truncated_normal as truncated_normal
from ..ops.random_classes import (
    categorical as categorical,
    multinomial as multinomial,
)

gamma = _random_counts.random_gamma
normal = _random.random_normal
poisson = _random_counts.random_poisson
shuffle = _random.random_shuffle
uniform = _random.random_uniform


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
