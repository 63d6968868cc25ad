"""Sentences of many lengths: sorted into buckets, padded, and mapped over one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as tf

SENTENCES = [
    "time flies like an arrow",
    "fruit flies like a banana",
    "less is more",
    "to be or not to be that is the question",
    "all is well that ends well",
    "so it goes",
    "call me ishmael",
    "it was the best of times it was the worst of times",
]
BOUNDARIES = [4, 8]


def weighted_mean(vectors: tf.Tensor, length: tf.Tensor) -> Any:
    """The mean of the first vectors, by weights that decay: one vector for a sentence."""

    def add(total: tf.Tensor, vector: tf.Tensor) -> tf.Tensor:
        return 0.5 * total + vector

    return tf.foldl(add, vectors[:length], initializer=tf.zeros([3]))


def main() -> dict[int, np.ndarray]:
    """Maps each bucket of sentences to vectors."""
    vocabulary = sorted({word for sentence in SENTENCES for word in sentence.split()})
    numbers = {word: i for i, word in enumerate(vocabulary)}
    angles = np.arange(len(vocabulary), dtype=np.float32)
    table = tf.constant(np.stack([np.sin(angles), np.cos(angles), angles / 10], 1))

    ids = tf.placeholder(tf.int32, [None, None], name="ids")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    vectors = tf.map_fn(
        lambda row: weighted_mean(tf.gather(table, row[0]), row[1]),
        (ids, lengths),
        dtype=tf.float32,
    )

    buckets: dict[int, list[list[int]]] = {}
    for sentence in SENTENCES:
        words = [numbers[word] for word in sentence.split()]
        bucket = sum(len(words) > boundary for boundary in BOUNDARIES)
        buckets.setdefault(bucket, []).append(words)

    found = {}
    with tf.Session() as session:
        for bucket, rows in sorted(buckets.items()):
            widest = max(map(len, rows))
            padded = [row + [0] * (widest - len(row)) for row in rows]
            feeds = {ids: padded, lengths: [len(row) for row in rows]}
            found[bucket] = session.run(vectors, feeds)
            print(f"bucket {bucket}: {len(rows)} sentences of up to {widest} words")
            for vector in found[bucket]:
                print("  " + " ".join(f"{value:7.4f}" for value in vector))
    return found


if __name__ == "__main__":
    main()
