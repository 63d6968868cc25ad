"""An autoencoder: sixteen patterns through a layer of four units, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

PATTERNS, CODES, STEPS = 16, 4, 400


def weights(name: str, shape: list[int], seed: int) -> Any:
    """A variable of small random numbers that is kept small."""
    variable = tf.get_variable(
        name, shape, initializer=tf.truncated_normal_initializer(stddev=0.5, seed=seed)
    )
    tf.add_to_collection("losses", 1e-4 * tf.nn.l2_loss(variable))
    return variable


def encode(patterns: tf.Tensor) -> Any:
    """The code of each pattern."""
    with tf.variable_scope("encoder"):
        offsets = tf.get_variable("biases", [CODES], initializer=tf.zeros_initializer())
        return tf.nn.tanh(tf.matmul(patterns, weights("weights", [PATTERNS, CODES], 1)) + offsets)


def decode(codes: tf.Tensor) -> Any:
    """The logits of the patterns that the codes stand for."""
    with tf.variable_scope("decoder"):
        offsets = tf.get_variable("biases", [PATTERNS], initializer=tf.zeros_initializer())
        return tf.nn.xw_plus_b(codes, weights("weights", [CODES, PATTERNS], 2), offsets)


def main() -> tuple[list[float], np.ndarray]:
    """Trains; the losses, and what comes back of each pattern."""
    patterns = tf.placeholder(tf.float32, [None, PATTERNS])
    codes = encode(patterns)
    logits = decode(codes)
    error = tf.reduce_mean(
        tf.reduce_sum(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=patterns, logits=logits), axis=1
        )
    )
    loss = tf.add_n([error, *tf.get_collection("losses")])
    train = tf.train.RMSPropOptimizer(0.02).minimize(loss)
    restored = tf.argmax(logits, 1)

    feeds = {patterns: np.eye(PATTERNS)}
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            value, _ = session.run([error, train], feeds)
            losses.append(float(value))
        found = session.run(restored, feeds)
    kept = (found == np.arange(PATTERNS)).sum()
    print(f"error {losses[0]:.3f} -> {losses[-1]:.3f}; {kept} of {PATTERNS} patterns come back")
    return losses, found


if __name__ == "__main__":
    main()
