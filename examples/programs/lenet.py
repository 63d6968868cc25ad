"""LeNet with batch normalization and dropout, on images of bars that lie in four directions."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

SIZE, BATCH, STEPS = 14, 32, 30


def sample_images(number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy images of a bar each, and in which of four directions it lies."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 4, number)
    rows, columns = np.mgrid[:SIZE, :SIZE] - SIZE // 2
    images = rng.normal(0, 0.3, (number, SIZE, SIZE, 1))
    for image, label in zip(images, labels, strict=True):
        across = (rows, columns, rows - columns, rows + columns)[label] + rng.randint(-2, 3)
        image[np.abs(across) < 2] += 1
    return images.astype(np.float32), labels


def lenet(images: tf.Tensor, training: tf.Tensor) -> Any:
    """The logits of the four directions."""
    x = images
    for i, filters in enumerate((6, 12)):
        kernel = tf.glorot_uniform_initializer(seed=i + 1)
        x = tf.layers.conv2d(x, filters, 3, padding="same", kernel_initializer=kernel)
        x = tf.layers.batch_normalization(x, momentum=0.9, training=training)
        x = tf.layers.max_pooling2d(tf.nn.relu(x), 2, 2)
    x = tf.layers.flatten(x)
    x = tf.layers.dense(
        x, 24, activation=tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(seed=3)
    )
    x = tf.layers.dropout(x, 0.4, seed=4, training=training)
    return tf.layers.dense(x, 4, kernel_initializer=tf.glorot_uniform_initializer(seed=5))


def main() -> tuple[list[float], float]:
    """Trains; the losses, and how much of further images the network gets right."""
    images = tf.placeholder(tf.float32, [None, SIZE, SIZE, 1])
    labels = tf.placeholder(tf.int32, [None])
    training = tf.placeholder_with_default(False, [])
    logits = lenet(images, training)
    loss = tf.losses.softmax_cross_entropy(tf.one_hot(labels, 4), logits)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
    right = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))

    x, y = sample_images(BATCH * STEPS, seed=0)
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            some = slice(step * BATCH, (step + 1) * BATCH)
            feeds = {images: x[some], labels: y[some], training: True}
            losses.append(float(session.run([loss, train], feeds)[0]))
        others = sample_images(200, seed=1)
        score = float(session.run(right, {images: others[0], labels: others[1]}))
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {score:.0%} of further images right")
    return losses, score


if __name__ == "__main__":
    main()
