"""Random numbers: other ones than TensorFlow's, of the same distribution."""

from __future__ import annotations

from typing import Any

from ..writing.calls import Call
from ..writing.registry import rule
from ..writing.values import Value


def _drawn(c: Call, op_type: str, shape: Value, **options: Any) -> Value:
    seed = c.attr("seed2", 0) or c.attr("seed", 0)
    options["seed"] = float(seed) if seed else None
    result: Value = c.node(
        op_type, c.expand(c.constant(0, "float32"), shape), dtypes=["float32"], dtype=1, **options
    )
    return c.cast(result, c.dtype())


@rule("RandomUniform StatelessRandomUniform StatelessRandomUniformV2", nodes="RandomUniformLike")
def _uniform(c: Call) -> Value:
    return _drawn(c, "RandomUniformLike", c.int64(0), low=0.0, high=1.0)


@rule(
    "RandomStandardNormal StatelessRandomNormal StatelessRandomNormalV2", nodes="RandomNormalLike"
)
def _normal(c: Call) -> Value:
    return _drawn(c, "RandomNormalLike", c.int64(0), mean=0.0, scale=1.0)


@rule("RandomUniformInt", nodes="RandomUniformLike, Mul, Floor, Cast")
def _uniform_int(c: Call) -> Value:
    low, high = (c.cast(c.inputs[i], "float64") for i in (1, 2))
    share = c.node(
        "RandomUniformLike",
        c.expand(c.constant(0, "float64"), c.int64(0)),
        dtypes=["float64"],
        dtype=11,
        low=0.0,
        high=1.0,
    )
    number = c.node("Floor", share * (high - low)) + low
    return c.cast(c.node("Min", number, high - 1), c.dtype())


@rule("Multinomial", nodes="Multinomial")
def _multinomial(c: Call) -> Value:
    number = int(c.required(1, "num_samples").item())
    logits = c.node("LogSoftmax", c.cast(c.x, "float32"), axis=-1)
    result = c.node("Multinomial", logits, dtypes=["int64"], dtype=7, sample_size=number)
    return c.cast(result, c.dtype())


@rule("RandomShuffle", nodes="RandomUniformLike, TopK, Gather")
def _shuffle(c: Call) -> Value:
    number = c.slice(c.shape_of(c.x), [0], [1])
    zeros = c.expand(c.constant(0, "float32"), number)
    keys = c.node("RandomUniformLike", zeros, dtypes=["float32"], dtype=1, low=0.0, high=1.0)
    _, order = c.many("TopK", keys, number, outputs=2)
    return c.node("Gather", c.x, order, axis=0)
