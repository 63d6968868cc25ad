"""Needleman-Wunsch: the best alignment of two words, a table filled and walked back by loops."""

from __future__ import annotations

from typing import Any

import tensordraft as tf

MATCH, MISMATCH, GAP = 1, -1, -1
PAIRS = [("GATTACA", "GCATGCU"), ("KITTEN", "SITTING"), ("LOOP", "POOL")]


def score_table(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """The best score of each beginning of one word with each of the other."""
    columns = tf.size(other) + 1
    first = GAP * tf.range(columns)

    def row(above: tf.Tensor, letter: tf.Tensor) -> tf.Tensor:
        same = tf.where(
            tf.equal(other, letter),
            tf.fill(tf.shape(other), MATCH),
            tf.fill(tf.shape(other), MISMATCH),
        )
        best = tf.maximum(above[:-1] + same, above[1:] + GAP)

        def cell(left: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
            return tf.maximum(left + GAP, value)

        start = above[0] + GAP
        return tf.concat([[start], tf.scan(cell, best, initializer=start)], 0)

    rows = tf.scan(row, one, initializer=first)
    return tf.concat([tf.expand_dims(first, 0), rows], 0)


def traced_back(table: tf.Tensor, one: tf.Tensor, other: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The two words with gaps in them, letter by letter from the end."""

    def more(i: tf.Tensor, j: tf.Tensor, top: tf.Tensor, bottom: tf.Tensor) -> tf.Tensor:
        return tf.logical_or(i > 0, j > 0)

    def step(i: tf.Tensor, j: tf.Tensor, top: tf.Tensor, bottom: tf.Tensor) -> Any:
        here, before_i, before_j = table[i, j], tf.maximum(i - 1, 0), tf.maximum(j - 1, 0)
        x, y = one[before_i], other[before_j]
        gain = tf.where(tf.equal(x, y), MATCH, MISMATCH)
        both = tf.logical_and(i > 0, j > 0)
        both = tf.logical_and(both, tf.equal(here, table[before_i, before_j] + gain))
        down = tf.logical_and(tf.logical_not(both), i > 0)
        down = tf.logical_and(down, tf.equal(here, table[before_i, j] + GAP))
        x = tf.where(tf.logical_or(both, down), x, "-")
        y = tf.where(down, "-", y)
        i = i - tf.cast(tf.logical_or(both, down), tf.int32)
        j = j - tf.cast(tf.logical_not(down), tf.int32)
        return i, j, tf.strings.join([x, top]), tf.strings.join([y, bottom])

    empty = tf.constant("")
    start = [tf.size(one), tf.size(other), empty, empty]
    _, _, top, bottom = tf.while_loop(more, step, start)
    return top, bottom


def main() -> list[tuple[int, str, str]]:
    """Aligns pairs of words: the score, and both words with their gaps."""
    words = [tf.placeholder(tf.string, [], name=name) for name in ("one", "other")]
    one, other = (tf.string_split([word], "").values for word in words)
    table = score_table(one, other)
    top, bottom = traced_back(table, one, other)
    found = []
    with tf.Session() as session:
        for pair in PAIRS:
            feed = dict(zip(words, pair, strict=True))
            score, *lines = session.run([table[-1, -1], top, bottom], feed)
            found.append((int(score), *(line.decode() for line in lines)))
            print("{:3d}  {}\n     {}".format(*found[-1]))
    return found


if __name__ == "__main__":
    main()
