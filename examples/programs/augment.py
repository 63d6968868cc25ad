"""Augmenting images: flips, turns and shifted crops of one batch, and a montage of patches."""

from __future__ import annotations

import numpy as np

import tensordraft as tf


def augmented(images: tf.Tensor) -> tf.Tensor:
    """The images, mirrored, upside down, turned, and shifted by two pixels: five times as many."""
    mirrored = tf.reverse(images, axis=[2])
    upside_down = tf.reverse(images, axis=[1])
    turned = tf.reverse(tf.transpose(images, [0, 2, 1, 3]), axis=[1])
    padded = tf.pad(images, [[0, 0], [2, 2], [2, 2], [0, 0]], mode="REFLECT")
    size = tf.shape(images)
    shifted = tf.slice(padded, [0, 4, 0, 0], size)
    return tf.concat([images, mirrored, upside_down, turned, shifted], axis=0)


def main() -> tuple[np.ndarray, np.ndarray]:
    """Augments a batch of two images; their means, and the brightest patch of each."""
    rng = np.random.RandomState(0)
    batch = rng.randint(0, 256, (2, 8, 8, 3)).astype(np.uint8)
    batch[1, 4:, 4:] = 255

    images = tf.placeholder(tf.uint8, [None, 8, 8, 3], name="images")
    scaled = tf.cast(images, tf.float32) / 255.0
    every = augmented(scaled)
    patches = tf.extract_image_patches(
        every, ksizes=[1, 4, 4, 1], strides=[1, 4, 4, 1], rates=[1, 1, 1, 1], padding="VALID"
    )
    brightness = tf.reduce_mean(tf.reshape(patches, [-1, 4, 4 * 4 * 3]), axis=2)
    brightest = tf.argmax(brightness, axis=1)
    means = tf.reduce_mean(every, axis=[1, 2, 3])
    print("one batch becomes", every.shape.as_list())

    with tf.Session() as session:
        mean_values, where = session.run([means, brightest], {images: batch})
    print("means:", np.round(mean_values, 3))
    print("brightest quarter:", where)
    return mean_values, where


if __name__ == "__main__":
    main()
