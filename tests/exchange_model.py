"""A program that both TensorFlow and this library run, for the exchange of checkpoints."""

from __future__ import annotations

from typing import Any

import numpy as np

FEATURES = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(6, 2)
LABELS = np.array([[0.5], [1.5], [-1.0], [2.0], [0.0], [1.0]], np.float32)


def build(tf: Any) -> None:
    """A line that is fitted by a step called `train`, which counts `global_step`."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.get_variable("w", initializer=[[0.5], [-0.25]], use_resource=False)
    b = tf.get_variable("b", initializer=[0.125], use_resource=True)
    tf.get_variable("words", initializer=tf.constant(["one", ""]), trainable=False)
    tf.get_variable("flags", initializer=tf.constant([True, False]), trainable=False)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y), name="loss")
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(loss, global_step=step, name="train")


def train(session: Any, steps: int) -> list[float]:
    """The loss before each step."""
    feeds = {"x:0": FEATURES, "y:0": LABELS}
    return [float(session.run(["loss:0", "train"], feeds)[0]) for _ in range(steps)]
