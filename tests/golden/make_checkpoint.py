"""Writes the golden checkpoints, with the TensorFlow (2.21) that runs this.

python tests/golden/make_checkpoint.py [checkpoint | parts-v1 | parts-v2]...
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

GOLDEN = Path(__file__).resolve().parent


def write_model(folder: Path) -> None:
    """Saves a small model, with variables of several dtypes and of both kinds."""
    with tf.Graph().as_default(), tf.Session() as session:
        features = tf.placeholder(tf.float32, [None, 3], name="features")
        with tf.variable_scope("layer"):
            kernel = tf.get_variable("kernel", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            bias = tf.get_variable("bias", initializer=[0.5, -100.0])
        tf.Variable([b"one", b"", b"three"], name="names", trainable=False)
        tf.Variable(tf.cast([1.5, -2.5], tf.bfloat16), name="half", trainable=False)
        tf.Variable(7, name="step", trainable=False, dtype=tf.int64)
        mix = tf.get_variable("mix", initializer=[[1.0, 1.0], [0.0, 2.0]], use_resource=False)
        hidden = tf.nn.relu(tf.matmul(features, kernel) + bias)
        tf.matmul(hidden, mix, name="result")
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        saver.save(session, str(folder / "model"), global_step=7)


def write_parts(folder: Path, version: int) -> None:
    """Saves variables of which two are partitioned: by rows and by columns."""
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("layer", partitioner=tf.fixed_size_partitioner(3)):
            tf.get_variable("rows", [7, 2])
        with tf.variable_scope("layer", partitioner=tf.fixed_size_partitioner(2, axis=1)):
            tf.get_variable("columns", [2, 130], tf.int64, tf.zeros_initializer())
        tf.get_variable("whole", initializer=np.float64(1.5))
        tf.get_variable("names", initializer=tf.constant(["one", "", "three"]))
        tf.get_variable("flags", initializer=tf.constant([True, False]))
        session.run(tf.global_variables_initializer())
        first = 0
        for variable in tf.global_variables():
            if "/part_" in variable.name:
                count = variable.shape.num_elements()
                values = np.arange(first, first + count).reshape(variable.shape.as_list())
                session.run(variable.assign(values))
                first += count
        saver = tf.train.Saver(write_version=version)
        saver.save(session, str(folder / "model"), global_step=3, write_meta_graph=False)


def main() -> None:
    """Writes the checkpoints that are named, or all."""
    tf.disable_eager_execution()
    for name in sys.argv[1:] or ["checkpoint", "parts-v1", "parts-v2"]:
        folder = GOLDEN / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if name == "checkpoint":
            write_model(folder)
        else:
            version = tf.train.SaverDef.V1 if name == "parts-v1" else tf.train.SaverDef.V2
            write_parts(folder, version)
        state = folder / "checkpoint"
        state.write_text(state.read_text().replace(f"{folder}/", ""))


if __name__ == "__main__":
    main()
