"""Random ops of ONNX, with TensorFlow's generators."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from ...protos.dtypes import DType
from .call import Call, Rule
from .elementwise import scaled
from .nodes import apply, cast, ints, wide
from .tensors import MalformedError


def _seed(c: Call) -> dict[str, int]:
    if "seed" not in c.attrs:
        return {"seed": 0, "seed2": 0}
    [bits] = np.array([c.float("seed")], np.float32).view(np.int32)
    return {"seed": int(bits), "seed2": 1}


def _drawn(c: Call, op_type: str, shape: Any, dtype: DType) -> Tensor:
    if not dtype.is_floating:
        raise MalformedError(f"it makes floats, got {dtype.name}")
    return apply(op_type, shape, dtype=dtype, **_seed(c))


def _uniform(like: bool, c: Call) -> Tensor:
    low, high = c.float("low", 0.0), c.float("high", 1.0)
    return scaled(_drawn(c, "RandomUniform", *_shape(like, c)), high - low, low)


def _normal(like: bool, c: Call) -> Tensor:
    values = _drawn(c, "RandomStandardNormal", *_shape(like, c))
    return scaled(values, c.float("scale", 1.0), c.float("mean", 0.0))


def _shape(like: bool, c: Call) -> tuple[Any, DType]:
    if like:
        return apply("Shape", c[0]), c.dtype("dtype", c[0].dtype)
    return ints(c.list("shape")), c.dtype("dtype", dtypes.float32)


def _bernoulli(c: Call) -> Tensor:
    x = c[0]
    drawn = _drawn(c, "RandomUniform", apply("Shape", x), x.dtype)
    return cast(apply("Less", drawn, x), c.dtype("dtype", x.dtype))


def _multinomial(c: Call) -> Tensor:
    dtype = c.dtype("dtype", dtypes.int32)
    count = np.int32(c.int("sample_size", 1))
    return wide("Multinomial", c[0], count, output_dtype=dtype, **_seed(c))


RULES: dict[str, Rule] = {
    "Bernoulli": _bernoulli,
    "Multinomial": _multinomial,
    "RandomNormal": partial(_normal, False),
    "RandomNormalLike": partial(_normal, True),
    "RandomUniform": partial(_uniform, False),
    "RandomUniformLike": partial(_uniform, True),
}
