"""Logistic regression by an optimizer, in a session that saves, ends and resumes."""

from __future__ import annotations

import tempfile

import numpy as np

import tensordraft as tf

BATCH = 50
STEPS = 40


def sample_points() -> tuple[np.ndarray, np.ndarray]:
    """Points on both sides of a line, and on which side each is."""
    rng = np.random.RandomState(1)
    points = rng.uniform(-1, 1, (400, 2)).astype(np.float32)
    sides = points @ np.array([2.0, -1.0], np.float32) > 0.25
    return points, sides.astype(np.float32)[:, None]


def train(folder: str, last_step: int) -> list[float]:
    """Trains up to a step, from the latest checkpoint in the folder; the loss at each step."""
    points, sides = sample_points()
    losses: list[float] = []
    with tf.Graph().as_default():
        features = tf.placeholder(tf.float32, [None, 2], name="features")
        labels = tf.placeholder(tf.float32, [None, 1], name="labels")
        weights = tf.get_variable("weights", [2, 1], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
        odds = tf.nn.sigmoid(tf.matmul(features, weights) + bias)
        fits = labels * tf.log(odds) + (1.0 - labels) * tf.log(1.0 - odds)
        loss = -tf.reduce_mean(fits)

        step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.5, step, 20, 0.9)
        update = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
        hooks = [tf.train.StopAtStepHook(last_step=last_step), tf.train.NanTensorHook(loss)]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks) as session:
            while not session.should_stop():
                some = np.arange(BATCH) + BATCH * (len(losses) % (len(points) // BATCH))
                feeds = {features: points[some], labels: sides[some]}
                losses.append(float(session.run([loss, update], feeds)[0]))
    return losses


def main() -> tuple[list[float], list[float]]:
    """Trains in two sessions; the losses of each."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = train(folder, STEPS // 2), train(folder, STEPS)
    print(f"loss: {first[0]:.3f} -> {first[-1]:.3f}, and on to {second[-1]:.3f}")
    return first, second


if __name__ == "__main__":
    main()
