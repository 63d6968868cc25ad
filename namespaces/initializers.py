"""Functions that give variables their initial values, by their short names: `td.initializers`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.variables import (
    initializers as _plain,
    scaling_initializers as _scaling,
    variables as _variables,
)

constant = _plain.Constant
ones = _plain.Ones
random_normal = _plain.RandomNormal
random_uniform = _plain.RandomUniform
truncated_normal = _plain.TruncatedNormal
zeros = _plain.Zeros

glorot_normal = _scaling.GlorotNormal
glorot_uniform = _scaling.GlorotUniform
he_normal = _scaling.he_normal
he_uniform = _scaling.he_uniform
identity = _scaling.Identity
lecun_normal = _scaling.lecun_normal
lecun_uniform = _scaling.lecun_uniform
orthogonal = _scaling.Orthogonal
uniform_unit_scaling = _scaling.UniformUnitScaling
variance_scaling = _scaling.VarianceScaling

global_variables = _variables.global_variables_initializer
local_variables = _variables.local_variables_initializer
variables = _variables.variables_initializer


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
