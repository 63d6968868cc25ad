"""A multilayer perceptron by the layers API: two spirals, separated by two hidden layers."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

STEPS = 200


def sample_spirals() -> tuple[np.ndarray, np.ndarray]:
    """Points of two spirals, and of which one each is."""
    turns = np.linspace(0.25, 1.25, 60)
    arms = [
        np.stack([side * turns * np.cos(6 * turns), side * turns * np.sin(6 * turns)], 1)
        for side in (1, -1)
    ]
    return np.concatenate(arms).astype(np.float32), np.repeat([0, 1], 60)


def network(points: tf.Tensor) -> Any:
    """The logits of both spirals."""
    hidden = points
    for i, units in enumerate((32, 16)):
        hidden = tf.layers.dense(
            hidden,
            units,
            activation=tf.nn.tanh,
            kernel_initializer=tf.glorot_uniform_initializer(seed=i + 1),
            name=f"hidden{i + 1}",
        )
    last = tf.glorot_uniform_initializer(seed=3)
    return tf.layers.dense(hidden, 2, kernel_initializer=last, name="logits")


def main() -> tuple[list[float], float]:
    """Trains; the losses, and how often the network is right in the end."""
    points = tf.placeholder(tf.float32, [None, 2])
    labels = tf.placeholder(tf.int64, [None])
    logits = network(points)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    rate = tf.train.piecewise_constant(
        tf.train.get_or_create_global_step(), [STEPS // 2], [0.2, 0.05]
    )
    train = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, tf.train.get_global_step())
    _, accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))

    x, y = sample_spirals()
    losses = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for _ in range(STEPS):
            value, _ = session.run([loss, train], {points: x, labels: y})
            losses.append(float(value))
        right = float(session.run(accuracy, {points: x, labels: y}))
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {right:.0%} right")
    return losses, right


if __name__ == "__main__":
    main()
