"""A variational autoencoder: two hidden numbers behind images of a moving bump."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

PIXELS, HIDDEN, CODES = 24, 32, 2
BATCH, STEPS = 50, 200


def sample_rows(number: int) -> np.ndarray:
    """Rows of pixels, each with a bump somewhere."""
    rng = np.random.RandomState(0)
    middles, places = rng.uniform(4, PIXELS - 4, (number, 1)), np.arange(PIXELS)
    return np.exp(-(((places - middles) / 2) ** 2)).astype(np.float32)


def layer(x: tf.Tensor, units: int, seed: int, activation: Any = None) -> Any:
    """A layer whose first weights are the same in every run."""
    first = tf.variance_scaling_initializer(scale=1.0, mode="fan_avg", seed=seed)
    return tf.layers.dense(x, units, activation, kernel_initializer=first)


def main() -> tuple[list[float], float]:
    """Trains; the losses, and the mean error of what comes back."""
    rows = tf.placeholder(tf.float32, [None, PIXELS])
    with tf.variable_scope("encoder"):
        hidden = layer(rows, HIDDEN, 1, tf.nn.elu)
        mean, log_variance = tf.split(layer(hidden, 2 * CODES, 2), 2, axis=1)
    noise = tf.random_normal(tf.shape(mean), seed=3)
    codes = mean + noise * tf.exp(0.5 * log_variance)
    with tf.variable_scope("decoder"):
        logits = layer(layer(codes, HIDDEN, 4, tf.nn.elu), PIXELS, 5)

    with tf.name_scope("loss"):
        entropies = tf.nn.sigmoid_cross_entropy_with_logits(labels=rows, logits=logits)
        likelihood = tf.reduce_sum(entropies, 1)
        distances = tf.square(mean) + tf.exp(log_variance) - log_variance - 1.0
        divergence = 0.5 * tf.reduce_sum(distances, 1)
        loss = tf.reduce_mean(likelihood + divergence)
    optimizer = tf.train.AdamOptimizer(0.01)
    pairs = optimizer.compute_gradients(loss)
    gradients, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 20.0)
    trained = [variable for _, variable in pairs]
    train = optimizer.apply_gradients(list(zip(gradients, trained, strict=True)))
    error = tf.reduce_mean(tf.abs(tf.nn.sigmoid(logits) - rows))

    data = sample_rows(500)
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            some = data[(np.arange(BATCH) + step * BATCH) % len(data)]
            value, _ = session.run([loss, train], {rows: some})
            losses.append(float(value))
        left = float(session.run(error, {rows: data}))
    print(f"loss {losses[0]:.2f} -> {losses[-1]:.2f}, error {left:.3f}")
    return losses, left


if __name__ == "__main__":
    main()
