"""Matrix factorisation by updates written by hand, with a checkpoint half way."""

from __future__ import annotations

import os
import tempfile

import numpy as np

import tensordraft as tf

RANK = 2
RATE = 0.02


def ratings() -> tuple[np.ndarray, np.ndarray]:
    """A matrix of low rank, and which of its elements are known."""
    rng = np.random.RandomState(1)
    matrix = rng.rand(12, RANK).dot(rng.rand(RANK, 9)) * 4.0
    return matrix.astype(np.float32), (rng.rand(12, 9) < 0.7).astype(np.float32)


def main() -> tuple[float, float, float]:
    """Factors the matrix; the error half way, after restoring that state, and at the end."""
    matrix, known = ratings()
    rng = np.random.RandomState(2)
    target, mask = tf.constant(matrix), tf.constant(known)
    with tf.variable_scope("factors"):
        left = tf.get_variable("left", initializer=rng.rand(12, RANK).astype(np.float32))
        right = tf.get_variable("right", initializer=rng.rand(9, RANK).astype(np.float32))

    wrong = mask * (tf.matmul(left, right, transpose_b=True) - target)
    error = tf.sqrt(tf.reduce_sum(tf.square(wrong)) / tf.reduce_sum(mask))
    left_slope = tf.matmul(wrong, right)
    right_slope = tf.matmul(wrong, left, transpose_a=True)
    with tf.control_dependencies([left_slope, right_slope]):
        step = tf.group(
            tf.assign_sub(left, RATE * left_slope), tf.assign_sub(right, RATE * right_slope)
        )

    saver = tf.train.Saver([left, right])
    with tf.Session() as session, tempfile.TemporaryDirectory() as folder:
        session.run(tf.global_variables_initializer())
        for _ in range(300):
            session.run(step)
        half_way = float(session.run(error))
        path = saver.save(session, os.path.join(folder, "factors"), global_step=300)
        for _ in range(1200):
            session.run(step)
        final = float(session.run(error))
        saver.restore(session, path)
        restored = float(session.run(error))
    print(f"error half way {half_way:.5f}, restored {restored:.5f}, at the end {final:.5f}")
    return half_way, restored, final


if __name__ == "__main__":
    main()
