"""Newton's method: each root is sought until a step no longer moves it, all of them in one loop."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

COEFFICIENTS = [1.0, -6.0, 11.0, -6.0]  # (x - 1) (x - 2) (x - 3)
TOLERANCE = 1e-9


def polynomial(x: tf.Tensor) -> tf.Tensor:
    """The value of the polynomial, by Horner's rule."""
    value = tf.zeros_like(x)
    for coefficient in COEFFICIENTS:
        value = value * x + coefficient
    return value


def newton(start: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The roots that are reached from some places, and the number of steps that each one took."""

    def unsettled(x: tf.Tensor, moved: tf.Tensor, steps: tf.Tensor) -> tf.Tensor:
        return tf.reduce_any(tf.abs(moved) > TOLERANCE)

    def improve(x: tf.Tensor, moved: tf.Tensor, steps: tf.Tensor) -> tuple[tf.Tensor, ...]:
        value = polynomial(x)
        (slope,) = tf.gradients(value, x)
        step = value / slope
        return x - step, step, steps + tf.cast(tf.abs(step) > TOLERANCE, tf.int32)

    loop_vars = [start, tf.ones_like(start), tf.zeros_like(start, dtype=tf.int32)]
    x, _, steps = tf.while_loop(unsettled, improve, loop_vars, maximum_iterations=50)
    return x, steps


def main() -> tuple[np.ndarray, np.ndarray]:
    """Finds the roots from several places."""
    places = tf.placeholder(tf.float64, [None], name="places")
    roots, steps = newton(places)
    starts = np.array([-5.0, 0.5, 1.9, 2.2, 10.0])
    with tf.Session() as session:
        found, taken = session.run([roots, steps], {places: starts})
    for start, root, number in zip(starts, found, taken, strict=True):
        print(f"from {start:5.1f} to {root:.9f} in {number} steps")
    return found, taken


if __name__ == "__main__":
    main()
