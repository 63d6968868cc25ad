"""Matrix factorization by sparse updates: ratings as products of two tables' rows."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

USERS, ITEMS, FACTORS = 40, 30, 4
BATCH, STEPS = 64, 500


def sample_ratings() -> tuple[np.ndarray, np.ndarray]:
    """Pairs of user and item, and the rating of each pair."""
    rng = np.random.RandomState(0)
    tastes, traits = rng.normal(0, 1, (USERS, 3)), rng.normal(0, 1, (ITEMS, 3))
    pairs = rng.permutation([(user, item) for user in range(USERS) for item in range(ITEMS)])
    ratings = (tastes[pairs[:, 0]] * traits[pairs[:, 1]]).sum(1) + 3.0
    return pairs, ratings.astype(np.float32)


def looked_up(name: str, rows: int, numbers: tf.Tensor, seed: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Rows of a table and of offsets, by their numbers."""
    with tf.variable_scope(name):
        first = tf.random_normal_initializer(stddev=0.3, seed=seed)
        table = tf.get_variable("factors", [rows, FACTORS], initializer=first)
        offsets = tf.get_variable("offsets", [rows], initializer=tf.zeros_initializer())
    return tf.nn.embedding_lookup(table, numbers), tf.gather(offsets, numbers)


def main() -> tuple[list[float], float, float]:
    """Trains on most ratings; the losses, and the errors on those and on the others."""
    users, items = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    ratings = tf.placeholder(tf.float32, [None])
    user_rows, user_offsets = looked_up("users", USERS, users, 1)
    item_rows, item_offsets = looked_up("items", ITEMS, items, 2)
    mean = tf.get_variable("mean", [], initializer=tf.constant_initializer(3.0))
    predicted = mean + user_offsets + item_offsets + tf.reduce_sum(user_rows * item_rows, 1)
    decay = tf.nn.l2_loss(user_rows) + tf.nn.l2_loss(item_rows)
    loss = tf.losses.mean_squared_error(ratings, predicted) + 1e-4 * decay
    optimizer = tf.train.AdagradOptimizer(0.3)
    gradients = optimizer.compute_gradients(loss)
    sparse = [variable.op.name for g, variable in gradients if isinstance(g, tf.IndexedSlices)]
    train = optimizer.apply_gradients(gradients)
    error = tf.sqrt(tf.reduce_mean(tf.squared_difference(predicted, ratings)))

    pairs, values = sample_ratings()
    cut = len(pairs) * 9 // 10
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            some = (np.arange(BATCH) + step * BATCH) % cut
            feeds = {users: pairs[some, 0], items: pairs[some, 1], ratings: values[some]}
            losses.append(float(session.run([loss, train], feeds)[0]))
        errors = [
            float(session.run(error, {users: part[:, 0], items: part[:, 1], ratings: found}))
            for part, found in ((pairs[:cut], values[:cut]), (pairs[cut:], values[cut:]))
        ]
    print(f"updated by rows: {', '.join(sparse)}; errors {errors[0]:.3f} and {errors[1]:.3f}")
    return losses, errors[0], errors[1]


if __name__ == "__main__":
    main()
