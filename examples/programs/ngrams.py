"""Counting n-grams: words are split, joined and counted as strings, inside the graph."""

from __future__ import annotations

import tensordraft as tf

TEXT = """
the cat sat on the mat and the dog sat on the cat
and the cat sat still while the dog sat on the mat
"""


def n_grams(words: tf.Tensor, n: int) -> tf.Tensor:
    """Every run of `n` words, joined by spaces."""
    last = tf.size(words) - n + 1
    parts = [tf.slice(words, [i], [last]) for i in range(n)]
    return tf.string_join(parts, separator=" ")


def main() -> dict[int, list[tuple[str, int]]]:
    """The three most frequent n-grams for n = 1, 2, 3, with their counts."""
    text = tf.placeholder(tf.string, [], name="text")
    words = tf.string_split([text], delimiter=" \n").values
    counted = {n: tf.unique_with_counts(n_grams(words, n)) for n in (1, 2, 3)}

    result = {}
    with tf.Session() as session:
        values = session.run(counted, {text: TEXT})
    for n, (grams, _, counts) in values.items():
        pairs = [(gram.decode(), int(count)) for gram, count in zip(grams, counts, strict=True)]
        result[n] = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:3]
        print(f"{n}: " + ", ".join(f"{gram!r} {count} times" for gram, count in result[n]))
    return result


if __name__ == "__main__":
    main()
