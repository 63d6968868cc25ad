"""Writes the golden checkpoint, with the TensorFlow (2.21) that runs this.

python tests/golden/make_checkpoint.py
"""

from __future__ import annotations

import shutil
from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

FOLDER = Path(__file__).resolve().parent / "checkpoint"


def main() -> None:
    """Saves a small model, with variables of several dtypes and of both kinds."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    tf.disable_eager_execution()
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
        saver.save(session, str(FOLDER / "model"), global_step=7)
    state = FOLDER / "checkpoint"
    state.write_text(state.read_text().replace(f"{FOLDER}/", ""))


if __name__ == "__main__":
    main()
