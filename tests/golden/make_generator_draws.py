"""Records what TensorFlow 2.21 draws from generators whose state a variable holds.

The draws stand as the bytes of their arrays, in hexadecimal digits, each before the state after it.
So do those of seeds whose distributions have parameters.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]
from tensorflow.python.framework import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
    op_def_registry,
)

FOLDER = Path(__file__).parents[1] / "ops" / "random"
TARGET = FOLDER / "generator_draws.json"
OF_PARAMETERS = FOLDER / "draws_of_parameters.json"
STATE = [5, -1, 11]
NORMALS = ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal")


def record(op: str, state: list[int], runs: int = 2, **arguments: Any) -> dict[str, Any]:
    variable = tf.Variable(state, dtype=tf.int64)
    algorithm = {"alg" if op == "RngReadAndSkip" else "algorithm": 1}
    given = dict(arguments)
    if op == "StatefulUniformInt":  # whose dtype is that of its bounds
        dtype = given.pop("dtype")
        given |= {name: tf.constant(given[name], dtype) for name in ("minval", "maxval")}
    for name in ("counts", "probs"):
        if name in given:
            given[name] = tf.constant(given[name], tf.float32)
    drawn = []
    for _ in range(runs):
        x = getattr(tf.raw_ops, op)(resource=variable.handle, **algorithm, **given)
        drawn.append([None if x is None else x.numpy().tobytes().hex(), variable.numpy().tolist()])
    return {"op": op, "state": state, "arguments": arguments, "runs": drawn}


def array(value: Any) -> list[Any]:
    x = np.asarray(value)
    return [tf.as_dtype(x.dtype).name, list(x.shape), x.tobytes().hex()]


def stateless(op: str, *inputs: Any, **attrs: str) -> dict[str, Any]:
    """A record in the form of `tensorflow_draws.json`."""
    arrays = [np.asarray(value) for value in inputs]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        names = [arg.name for arg in op_def_registry.get(op).input_arg]
        made = getattr(tf.raw_ops, op)(**dict(zip(names, arrays, strict=True)), **attrs)
        return {
            "op": op,
            "inputs": [array(x) for x in arrays],
            "attrs": attrs,
            "runs": [[array(session.run(made))]],
        }


def of_parameters() -> list[dict[str, Any]]:
    records = []
    key, counter = np.array([7], np.uint64), np.array([3, 9], np.uint64)
    alphas = [0.2, 0.7, 1.0, 4.0, 300.0]
    for dtype in ("float16", "float32", "float64"):
        alpha, shape = np.array(alphas, dtype), np.array([6, 5], np.int32)
        records.append(stateless("StatelessRandomGammaV2", shape, [3, -4], alpha))
        v3 = key, counter, np.int32(1), alpha
        records.append(stateless("StatelessRandomGammaV3", shape, *v3))
    for dtype in ("float32", "float64", "int32", "int64"):
        rates, shape = np.array([[1.0, 3.0, 9.0, 11.0, 4000.0]], dtype), np.array([4, 1, 5])
        records.append(stateless("StatelessRandomPoisson", shape, [3, -4], rates, dtype="int64"))
        sizes = np.array([[1], [12], [60], [5000], [-1]]).astype(dtype)
        chances = np.array([0.0, 0.01, 0.2, 0.5, 0.7, 0.999, 1.0]).astype(dtype)
        if dtype.startswith("float"):
            shape = np.array([3, 5, 7], np.int32)
            records += [
                stateless("StatelessRandomBinomial", shape, [3, -4], sizes, chances, dtype=out)
                for out in ("int32", "int64", "float16", "float32", "float64")
            ]
    return records


def main() -> None:
    floats, integers = ("float16", "bfloat16", "float32", "float64"), ("int32", "int64")
    every = (*integers, "uint32", "uint64")
    records = [record(op, STATE, dtype=dtype, shape=[5]) for dtype in floats for op in NORMALS]
    records += [record("StatefulUniformFullInt", STATE, dtype=d, shape=[3]) for d in every]
    records += [
        record("StatefulUniformInt", [-5, 3, -11, 8], minval=3, maxval=40, shape=[2, 3], dtype=d)
        for d in integers
    ]
    for shape in ([4, 2], [7, 2]):
        given: dict[str, Any] = {"counts": [10.0, 100.0], "probs": [0.3, 0.6]}
        records.append(record("StatefulRandomBinomial", STATE, shape=shape, dtype="int32", **given))
    records.append(record("RngSkip", [-5, 3, -11], delta=4))
    records.append(record("RngReadAndSkip", [-300, -1, -11], delta=4))
    # A second step back loses a carry between the halves of the counter there.
    records.append(record("RngSkip", [500, 3, -11], 1, delta=-4))
    for target, items in ((TARGET, records), (OF_PARAMETERS, of_parameters())):
        target.write_text("[\n" + ",\n".join(map(json.dumps, items)) + "\n]\n")


if __name__ == "__main__":
    main()
