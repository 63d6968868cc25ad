"""The classes of `tensorflow.python.ops.init_ops`."""

from __future__ import annotations

from ...ops.initializers.initializers import (
    Constant,
    Initializer,
    Ones,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    Zeros,
)
from ...ops.initializers.variance_scaling import (
    GlorotNormal,
    GlorotUniform,
    Identity,
    Orthogonal,
    UniformUnitScaling,
    VarianceScaling,
)

__all__ = [
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "Identity",
    "Initializer",
    "Ones",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "UniformUnitScaling",
    "VarianceScaling",
    "Zeros",
    "identity_initializer",
]

identity_initializer = Identity
