"""A generative adversarial network: numbers made to look as if drawn from a distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

MEAN, DEVIATION = 3.0, 0.5
BATCH, STEPS = 64, 600


def dense(x: tf.Tensor, units: int, seed: int, activation: Any = None) -> Any:
    """A layer whose first weights are the same in every run."""
    return tf.layers.dense(
        x, units, activation, kernel_initializer=tf.glorot_normal_initializer(seed=seed)
    )


def generator(noise: tf.Tensor) -> Any:
    """Numbers made of noise."""
    with tf.variable_scope("generator"):
        return dense(dense(noise, 8, 1, tf.nn.softplus), 1, 2)


def discriminator(x: tf.Tensor, reuse: bool = False) -> Any:
    """The logit of being real."""
    with tf.variable_scope("discriminator", reuse=reuse):
        features = tf.concat([x, tf.square(x - MEAN)], 1)
        return dense(dense(features, 16, 3, tf.nn.leaky_relu), 1, 4)


def cross_entropy(logits: tf.Tensor, label: float) -> Any:
    """Cross entropy between logits and one label for all."""
    labels = tf.fill(tf.shape(logits), label)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def main() -> tuple[list[tuple[float, float]], float, float]:
    """Trains both; their losses, and mean and deviation of the numbers made."""
    real = tf.placeholder(tf.float32, [None, 1])
    noise = tf.placeholder(tf.float32, [None, 1])
    made = generator(noise)
    true_logits, false_logits = discriminator(real), discriminator(made, reuse=True)
    told_apart = cross_entropy(true_logits, 1.0) + cross_entropy(false_logits, 0.0)
    fooled = cross_entropy(false_logits, 1.0)

    steps = []
    for scope, loss, rate in (("discriminator", told_apart, 0.01), ("generator", fooled, 0.005)):
        trained = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)
        optimizer = tf.train.AdamOptimizer(rate, beta1=0.5)
        steps.append(optimizer.minimize(loss, var_list=trained))

    rng = np.random.RandomState(0)
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            feeds = {real: rng.normal(MEAN, DEVIATION, (BATCH, 1))}
            feeds[noise] = rng.normal(0, 1, (BATCH, 1))
            first, _ = session.run([told_apart, steps[0]], feeds)
            second, _ = session.run([fooled, steps[1]], feeds)
            losses.append((float(first), float(second)))
        numbers = session.run(made, {noise: rng.normal(0, 1, (1000, 1))})
    print(f"made: {numbers.mean():.2f} ± {numbers.std():.2f}; real: {MEAN} ± {DEVIATION}")
    return losses, float(numbers.mean()), float(numbers.std())


if __name__ == "__main__":
    main()
