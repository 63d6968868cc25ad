"""Policy gradients on a bandit with four arms: what pays is pulled more and more often."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

CHANCES = [0.2, 0.4, 0.9, 0.1]
PULLS, STEPS = 20, 60


def main() -> tuple[list[float], np.ndarray]:
    """Learns; the mean reward of each step, and how likely each arm is in the end."""
    preferences = tf.get_variable("preferences", [4], initializer=tf.zeros_initializer())
    policy = tf.nn.softmax(preferences)
    arms = tf.squeeze(tf.multinomial([preferences], PULLS, seed=7), [0])

    taken = tf.placeholder(tf.int64, [PULLS])
    rewards = tf.placeholder(tf.float32, [PULLS])
    usual = tf.Variable(0.0, trainable=False, name="usual")
    with tf.name_scope("objective"):
        chances = tf.gather(policy, taken)
        gain = tf.reduce_mean(tf.log(chances) * (rewards - usual))
        entropy = -tf.reduce_sum(policy * tf.log(policy))
    train = tf.train.AdamOptimizer(0.1).minimize(-gain - 0.01 * entropy)
    with tf.control_dependencies([train]):
        learned = tf.assign_add(usual, 0.1 * (tf.reduce_mean(rewards) - usual))

    world = np.random.RandomState(3)
    curve = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            pulled = session.run(arms)
            paid = world.rand(PULLS) < np.take(CHANCES, pulled)
            session.run(learned, {taken: pulled, rewards: paid})
            curve.append(float(paid.mean()))
        likely = session.run(policy)
    print(f"reward {np.mean(curve[:5]):.2f} -> {np.mean(curve[-5:]):.2f}; arms {likely.round(2)}")
    return curve, likely


if __name__ == "__main__":
    main()
