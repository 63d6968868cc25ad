"""Random numbers: `td.random`."""

from __future__ import annotations

from ..graph.default_scopes import get_seed as get_seed, set_random_seed as set_random_seed
from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.random import (
    gamma_and_poisson as _random_counts,
    uniform_and_normal as _random,
)
from ..ops.random.multinomial import (
    categorical as categorical,
    multinomial as multinomial,
)
from ..ops.random.uniform_and_normal import truncated_normal as truncated_normal

gamma = _random_counts.random_gamma
normal = _random.random_normal
poisson = _random_counts.random_poisson
shuffle = _random.random_shuffle
uniform = _random.random_uniform


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
