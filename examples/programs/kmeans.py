"""K-means: centres that a graph moves, one assignment a step, until they stay where they are."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

CENTRES = np.array([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]], np.float32)


def sample_points(number: int = 60) -> np.ndarray:
    """Points around three centres, `number` around each."""
    rng = np.random.RandomState(3)
    return np.concatenate([rng.randn(number, 2) + c for c in CENTRES]).astype(np.float32)


def main() -> np.ndarray:
    """Finds the centres of the points, sorted by their first coordinate."""
    data = sample_points()
    points = tf.placeholder(tf.float32, [None, 2], name="points")
    centres = tf.Variable(data[[0, 1, 2]], name="centres")

    with tf.name_scope("assign_points"):
        differences = tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)
        distances = tf.reduce_sum(tf.square(differences), axis=2)
        nearest = tf.argmin(distances, axis=1)
        cost = tf.reduce_mean(tf.reduce_min(distances, axis=1))

    with tf.name_scope("move_centres"):
        membership = tf.one_hot(nearest, 3, dtype=tf.float32)
        sums = tf.matmul(membership, points, transpose_a=True)
        counts = tf.reduce_sum(membership, axis=0)
        moved = sums / tf.maximum(counts, 1.0)[:, tf.newaxis]
        shift = tf.reduce_max(tf.abs(moved - centres))
        with tf.control_dependencies([shift]):  # the old centres are needed until here
            step = tf.assign(centres, moved)

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(100):
            cost_now, shift_now, _ = session.run([cost, shift, step], {points: data})
            print(f"step {number}: cost {cost_now:.4f}, moved by {shift_now:.4f}")
            if shift_now < 1e-5:
                break
        found = np.array(sorted(session.run(centres).tolist()))
    print(np.round(found, 4))
    return found


if __name__ == "__main__":
    main()
