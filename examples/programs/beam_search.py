"""Beam search: the likeliest walks through a hidden Markov chain, kept side by side in a loop."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

STATES = ["sun", "clouds", "rain", "snow"]
WIDTH = 3


def log_chances() -> tuple[np.ndarray, np.ndarray]:
    """Transition probabilities of the weather, and of the number of ice creams in each."""
    random = np.random.RandomState(2)
    chances = [random.dirichlet(np.ones(size), 4) for size in (4, 3)]
    return np.log(chances[0]), np.log(chances[1])


def search(seen: tf.Tensor, steps: tf.Tensor, shows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The likeliest sequences of states that show what was seen, and how likely they are."""
    states = len(STATES)

    def more(time: tf.Tensor, scores: tf.Tensor, paths: tf.Tensor) -> tf.Tensor:
        return time < tf.size(seen)

    def lengthen(time: tf.Tensor, scores: tf.Tensor, paths: tf.Tensor) -> tuple[tf.Tensor, ...]:
        onward = tf.gather(steps, paths[:, -1]) + tf.gather(shows, seen[time], axis=1)
        totals = tf.reshape(tf.expand_dims(scores, 1) + onward, [-1])
        best, places = tf.nn.top_k(totals, WIDTH)
        before = tf.gather(paths, places // states)
        state = tf.expand_dims(places % states, 1)
        return time + 1, best, tf.concat([before, state], 1)

    first = tf.gather(shows, seen[0], axis=1) - np.log(states)
    scores, places = tf.nn.top_k(first, WIDTH)
    loop_vars = [tf.constant(1), scores, tf.expand_dims(places, 1)]
    shapes = [tf.TensorShape([]), tf.TensorShape([WIDTH]), tf.TensorShape([WIDTH, None])]
    _, scores, paths = tf.while_loop(more, lengthen, loop_vars, shapes)
    return scores, paths


def main() -> list[tuple[float, list[str]]]:
    """Guesses the weather of some days from how many ice creams were eaten."""
    seen = tf.placeholder(tf.int32, [None], name="seen")
    steps, shows = (tf.constant(table) for table in log_chances())
    scores, paths = search(seen, steps, shows)
    found = []
    with tf.Session() as session:
        for days in ([2, 1, 0], [0, 0, 1, 2, 2], [1, 0, 2, 2, 0, 1, 1]):
            values, walks = session.run([scores, paths], {seen: days})
            print("ice creams:", *days)
            for value, walk in zip(values, walks, strict=True):
                found.append((float(value), [STATES[state] for state in walk]))
                print(f"  {np.exp(value):.6f}  {' '.join(found[-1][1])}")
    return found


if __name__ == "__main__":
    main()
