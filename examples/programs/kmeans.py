"""K-means: centres that a loop moves until they stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

CENTRES = np.array([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]], np.float32)


def sample_points(number: int = 60) -> np.ndarray:
    """Points around three centres, `number` around each."""
    rng = np.random.RandomState(3)
    return np.concatenate([rng.randn(number, 2) + c for c in CENTRES]).astype(np.float32)


def settled(points: tf.Tensor, first: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Centres that no longer move; and of each step its cost, and how far it moved them."""

    def unsettled(step: tf.Tensor, shift: tf.Tensor, *_: object) -> tf.Tensor:
        return tf.logical_and(step < 100, shift >= 1e-5)

    def move(
        step: tf.Tensor,
        shift: tf.Tensor,
        centres: tf.Tensor,
        costs: tf.TensorArray,
        shifts: tf.TensorArray,
    ) -> Any:
        differences = tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)
        distances = tf.reduce_sum(tf.square(differences), axis=2)
        nearest = tf.argmin(distances, axis=1)
        cost = tf.reduce_mean(tf.reduce_min(distances, axis=1))

        membership = tf.one_hot(nearest, 3, dtype=tf.float32)
        sums = tf.matmul(membership, points, transpose_a=True)
        counts = tf.reduce_sum(membership, axis=0)
        moved = sums / tf.maximum(counts, 1.0)[:, tf.newaxis]
        shift = tf.reduce_max(tf.abs(moved - centres))
        return step + 1, shift, moved, costs.write(step, cost), shifts.write(step, shift)

    arrays = [tf.TensorArray(tf.float32, size=0, dynamic_size=True) for _ in range(2)]
    loop_vars = [tf.constant(0), tf.constant(1.0), first, *arrays]
    _, _, centres, costs, shifts = tf.while_loop(unsettled, move, loop_vars)
    return centres, costs.stack(), shifts.stack()


def main() -> np.ndarray:
    """Finds the centres of the points, sorted by their first coordinate."""
    data = sample_points()
    points = tf.placeholder(tf.float32, [None, 2], name="points")
    centres, costs, shifts = settled(points, points[:3])
    with tf.Session() as session:
        values, *steps = session.run([centres, costs, shifts], {points: data})
    for number, (cost, shift) in enumerate(zip(*steps, strict=True)):
        print(f"step {number}: cost {cost:.4f}, moved by {shift:.4f}")
    found = np.array(sorted(values.tolist()))
    print(np.round(found, 4))
    return found


if __name__ == "__main__":
    main()
