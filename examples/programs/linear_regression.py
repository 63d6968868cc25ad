"""Linear regression by gradient descent: a line through noisy points, with summaries."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

SLOPE, OFFSET = 3.0, -2.0
STEPS = 60


def sample_points() -> tuple[np.ndarray, np.ndarray]:
    """Points near a line."""
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, 50)
    return x, SLOPE * x + OFFSET + rng.normal(0, 0.1, 50)


def main() -> tuple[list[float], float, float]:
    """Fits the line; the losses, and what was found."""
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    slope, offset = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="offset")
    with tf.name_scope("loss"):
        loss = tf.reduce_mean(tf.square(slope * x + offset - y))
    tf.summary.scalar("loss", loss)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    summaries, init = tf.summary.merge_all(), tf.global_variables_initializer()

    points, values = sample_points()
    losses = []
    with tf.Session() as session:
        session.run(init)
        for _ in range(STEPS):
            feeds = {x: points, y: values}
            _, text = session.run([train, summaries], feed_dict=feeds)
            losses.append(tf.Summary.FromString(text).value[0].simple_value)
        found = session.run([slope, offset])
    print(f"y = {found[0]:.3f} x + {found[1]:.3f}, loss {losses[0]:.3f} -> {losses[-1]:.5f}")
    return losses, float(found[0]), float(found[1])


if __name__ == "__main__":
    main()
