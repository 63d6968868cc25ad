"""The classes of `tensorflow.python.ops.init_ops`."""

from __future__ import annotations

from ...ops.initializers import initializers, variance_scaling

Constant = initializers.Constant
Initializer = initializers.Initializer
Ones = initializers.Ones
RandomNormal = initializers.RandomNormal
RandomUniform = initializers.RandomUniform
TruncatedNormal = initializers.TruncatedNormal
Zeros = initializers.Zeros
GlorotNormal = variance_scaling.GlorotNormal
GlorotUniform = variance_scaling.GlorotUniform
Identity = identity_initializer = variance_scaling.Identity
Orthogonal = variance_scaling.Orthogonal
UniformUnitScaling = variance_scaling.UniformUnitScaling
VarianceScaling = variance_scaling.VarianceScaling

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
