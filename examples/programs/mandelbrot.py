"""The Mandelbrot set: points that stay near 0, for a fed number of iterations."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

WIDTH, HEIGHT = 64, 24
SHADES = " .:-=+*#%@"


def escape_rounds(points: tf.Tensor, most: tf.Tensor) -> Any:
    """For each point the number of rounds after which it is far away, at most `most`."""

    def some_stay(number: tf.Tensor, z: tf.Tensor, rounds: tf.Tensor) -> tf.Tensor:
        return tf.logical_and(number < most, tf.reduce_any(tf.abs(z) <= 2.0))

    def step(number: tf.Tensor, z: tf.Tensor, rounds: tf.Tensor) -> tuple[tf.Tensor, ...]:
        near = tf.abs(z) <= 2.0
        z = tf.where(near, z * z + points, z)  # what is far away stays where it is
        return number + 1, z, rounds + tf.cast(near, tf.int32)

    start = [tf.constant(0), tf.zeros_like(points), tf.zeros_like(points, dtype=tf.int32)]
    return tf.while_loop(some_stay, step, start)[2]


def main() -> np.ndarray:
    """Draws the set; the rounds of each point."""
    most = tf.placeholder(tf.int32, [], name="most")
    x = tf.linspace(tf.constant(-2.2, tf.float64), 0.8, WIDTH)
    y = tf.linspace(tf.constant(-1.2, tf.float64), 1.2, HEIGHT)
    across, down = tf.meshgrid(x, y)
    points = tf.complex(across, down)
    rounds = escape_rounds(points, most)
    with tf.Session() as session:
        found: np.ndarray = session.run(rounds, {most: 50})
    shades = np.minimum(np.log2(found).astype(int) * 2, len(SHADES) - 1)
    shades[found == 50] = len(SHADES) - 1
    for line in shades:
        print("".join(SHADES[shade] for shade in line).rstrip())
    print(f"{int((found == 50).sum())} of {found.size} points stay")
    return found


if __name__ == "__main__":
    main()
