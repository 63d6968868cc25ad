"""A recommender: ratings are a sparse matrix; films are alike that the same people like."""

from __future__ import annotations

import numpy as np

import tensordraft as tf

FILMS = ["Alien", "Brazil", "Casablanca", "Dune", "Elf"]
RATINGS = {  # (person, film): stars
    (0, 0): 5.0,
    (0, 3): 4.0,
    (1, 0): 4.0,
    (1, 1): 3.0,
    (1, 3): 5.0,
    (2, 2): 5.0,
    (2, 4): 4.0,
    (3, 2): 4.0,
    (3, 1): 2.0,
    (4, 0): 5.0,
}


def main() -> list[str]:
    """The film to recommend to each person."""
    rated = tf.sparse_placeholder(tf.float32, name="ratings")
    matrix = tf.scatter_nd(rated.indices, rated.values, rated.dense_shape)
    seen = tf.greater(matrix, 0.0)

    length = tf.sqrt(tf.reduce_sum(tf.square(matrix), axis=0, keepdims=True))
    unit = matrix / tf.maximum(length, 1e-6)
    likeness = tf.matmul(unit, unit, transpose_a=True)
    scores = tf.matmul(matrix, likeness)
    open_scores = tf.where(seen, tf.fill(tf.shape(scores), -1.0), scores)
    best = tf.argmax(open_scores, axis=1)

    value = tf.SparseTensorValue(
        np.array(list(RATINGS), np.int64), np.array(list(RATINGS.values())), [5, len(FILMS)]
    )
    with tf.Session() as session:
        chosen, alike = session.run([best, likeness], {rated: value})
    names = [FILMS[i] for i in chosen]
    print(np.round(alike, 2))
    for person, name in enumerate(names):
        print(f"person {person} might like {name}")
    return names


if __name__ == "__main__":
    main()
