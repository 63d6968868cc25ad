"""Writes the golden files of this folder with TensorFlow 2.21, which nothing else needs.

python tests/golden/make.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

HERE = Path(__file__).parent
DTYPES = "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 half bfloat16 float32 float64"


def slices() -> dict[Any, Any]:
    """Slicing, joining and reshaping, with sizes that are computed in the graph."""
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    rows = tf.shape(x)[0]
    flat = tf.reshape(x[:, ::2], tf.stack([rows * 2]), name="flat")
    pairs = tf.reshape(flat, [-1, 1, 2])
    tf.concat([pairs, tf.tile(pairs, [1, 2, 1])], axis=1, name="joined")
    tf.transpose(x[::-1, tf.newaxis, ..., 1:3], name="turned")
    tf.unstack(x, axis=1, name="columns")
    tf.split(x, [1, 3], axis=1, name="parts")
    tf.pad(x, [[1, 0], [0, 2]], "SYMMETRIC", name="padded")
    return {x: np.arange(12, dtype=np.float32).reshape(3, 4)}


def lookups() -> dict[Any, Any]:
    """Gathering and scattering."""
    table = tf.constant(np.arange(20).reshape(5, 4), tf.int64, name="table")
    rows = tf.placeholder_with_default(np.array([3, 0], np.int32), [None], name="rows")
    tf.gather(table, rows, name="rows_of")
    tf.gather(table, rows, axis=1, name="columns_of")
    tf.gather_nd(table, [[0, 1], [4, 3]], name="elements_of")
    tf.scatter_nd([[1], [3]], [5.0, 6.0], [4], name="scattered")
    tf.one_hot(rows, 4, on_value=1.5, name="hot")
    tf.unique(tf.constant(["b", "a", "b"]), name="unique")
    tf.where(tf.constant([[True, False], [False, True]]), name="where")
    return {rows: np.array([3, 3, 1], np.int32)}


def blocks() -> dict[Any, Any]:
    """Space, batch and depth."""
    image = tf.placeholder(tf.int32, [1, 4, 4, None], name="image")
    batch = tf.space_to_batch_nd(image, [2, 2], [[0, 0], [2, 0]], name="batch")
    tf.batch_to_space_nd(batch, [2, 2], [[0, 0], [2, 0]], name="back")
    tf.space_to_depth(image, 2, name="depth")
    tf.reverse_sequence(image[0], [4, 1, 0, 3], seq_axis=1, batch_axis=0, name="reversed")
    return {image: np.arange(32, dtype=np.int32).reshape(1, 4, 4, 2)}


def scopes() -> dict[Any, Any]:
    """Names, devices, colocation and control inputs."""
    with tf.name_scope("outer"), tf.device("/job:localhost/task:0/cpu:0"):
        x = tf.placeholder(tf.float32, [], name="x")
        done = tf.no_op(name="done")
        with tf.control_dependencies([done, x]), tf.get_default_graph().colocate_with(x.op):
            y = tf.identity(tf.constant(2.0), name="y")
    tf.group(y, done, name="all")
    return {x: np.float32(3)}


def dtypes() -> dict[Any, Any]:
    """A constant of every dtype, whole and repetitive."""
    for name in DTYPES.split():
        numpy_type = tf.as_dtype(name).as_numpy_dtype
        tf.constant(np.array([0, 1, 1, 1, 1, 1], numpy_type), name=f"{name}_tail")
        tf.constant(numpy_type(1), shape=[2, 2], name=f"{name}_fill")
        tf.constant(np.zeros([0, 2], numpy_type), name=f"{name}_empty")
    tf.constant([1 + 2j, -1.5j], "complex64", name="complex64_parts")
    tf.constant([1 + 2j, -1.5j], "complex128", name="complex128_parts")
    tf.constant([b"", b"a\x00", "é"], name="texts")
    tf.constant(np.array([np.nan, np.inf, -0.0, 1e-45], np.float32), name="special")
    return {}


def main() -> None:
    """Writes, for each function above, its graph and what TensorFlow computes with it."""
    build: Callable[[], dict[Any, Any]]
    for build in (slices, lookups, blocks, scopes, dtypes):
        with tf.Graph().as_default() as graph:
            feeds = build()
            graph_def = graph.as_graph_def(add_shapes=build is slices)
            tensors = [
                t
                for op in graph.get_operations()
                for t in op.outputs
                if "/" not in t.name or build is scopes
            ]
            with tf.Session() as session:
                values = session.run(tensors, feeds)
        data = {f"in/{tensor.name}": value for tensor, value in feeds.items()}
        for tensor, value in zip(tensors, values, strict=True):
            if tensor.dtype == tf.string:
                value = np.array([item.hex() for item in value.ravel()]).reshape(value.shape)
            elif tensor.dtype == tf.bfloat16:
                value = np.asarray(value, np.float32)
            data[f"out/{tensor.name}"] = value
        stem = HERE / build.__name__
        stem.with_suffix(".pb").write_bytes(graph_def.SerializeToString(deterministic=True))
        np.savez_compressed(stem.with_suffix(".npz"), **data)


if __name__ == "__main__":
    tf.disable_eager_execution()
    main()
