"""Gradient descent inside of the graph: a loop learns, and what it learns is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

STEPS = 40


def fitted(x: tf.Tensor, y: tf.Tensor, rate: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """Weights that fit `y` by `x` after some steps of gradient descent, and the losses before."""

    def unfinished(i: tf.Tensor, weights: tf.Tensor, losses: tf.TensorArray) -> tf.Tensor:
        return i < STEPS

    def descend(i: tf.Tensor, weights: tf.Tensor, losses: tf.TensorArray) -> Any:
        error = tf.linalg.matvec(x, weights) - y
        slope = 2.0 * tf.linalg.matvec(x, error, transpose_a=True) / tf.cast(tf.size(y), tf.float64)
        losses = losses.write(i, tf.reduce_mean(tf.square(error)))
        return i + 1, weights - rate * slope, losses

    losses = tf.TensorArray(tf.float64, size=STEPS)
    start = [tf.constant(0), tf.zeros([2], tf.float64), losses]
    _, weights, losses = tf.while_loop(unfinished, descend, start)
    return weights, losses.stack()


def main() -> tuple[list[float], np.ndarray]:
    """Finds the rate of learning by descending along the loss that it leads to."""
    random = np.random.RandomState(0)
    inputs = random.randn(30, 2)
    targets = inputs @ [1.5, -0.5] + 0.1 * random.randn(30)
    rate = tf.Variable(0.002, dtype=tf.float64, name="rate")
    weights, losses = fitted(tf.constant(inputs), tf.constant(targets), rate)
    (slope,) = tf.gradients(losses[-1], [rate])  # back through all steps of the loop
    update = tf.assign(rate, tf.clip_by_value(rate - 2e-5 * slope, 0.0, 0.3))

    rates = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(6):
            rates.append(float(session.run(rate)))
            first, last = session.run([losses[0], losses[-1]])
            print(f"rate {rates[-1]:.4f}: loss from {first:.4f} to {last:.6f}")
            session.run(update)
        found = session.run(weights)
    print("weights", np.round(found, 4))
    return rates, found


if __name__ == "__main__":
    main()
