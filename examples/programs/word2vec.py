"""Word vectors by skip-grams and noise-contrastive estimation: words of a kind come close."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import tensordraft as tf

ANIMALS, VERBS = ["cat", "dog", "horse", "cow"], ["eats", "drinks", "sees", "likes"]
THINGS = ["grass", "water", "milk", "bread"]
WORDS = [*ANIMALS, *VERBS, *THINGS, "the", "."]
DIMENSIONS, SAMPLED, BATCH, STEPS = 8, 6, 64, 400


def skip_grams() -> np.ndarray:
    """Pairs of a word and one beside it, from sentences such as "the cat drinks milk ."."""
    rng = np.random.RandomState(0)
    text: list[str] = []
    for _ in range(300):
        text += ["the", rng.choice(ANIMALS), rng.choice(VERBS), rng.choice(THINGS), "."]
    numbers = [WORDS.index(word) for word in text]
    pairs = [*pairwise(numbers), *pairwise(numbers[::-1])]
    return rng.permutation(pairs)


def main() -> tuple[list[float], dict[str, str]]:
    """Trains; the losses, and the word that is nearest to each of some."""
    words = tf.placeholder(tf.int32, [BATCH])
    context = tf.placeholder(tf.int64, [BATCH, 1])
    shape = [len(WORDS), DIMENSIONS]
    embeddings = tf.Variable(tf.random_uniform(shape, -1.0, 1.0, seed=1), name="embeddings")
    weights = tf.Variable(tf.truncated_normal(shape, stddev=DIMENSIONS**-0.5, seed=2))
    biases = tf.Variable(tf.zeros([len(WORDS)]))
    vectors = tf.nn.embedding_lookup(embeddings, words)
    drawn = tf.nn.log_uniform_candidate_sampler(context, 1, SAMPLED, True, len(WORDS), seed=3)
    losses = tf.nn.nce_loss(
        weights=weights,
        biases=biases,
        labels=context,
        inputs=vectors,
        num_sampled=SAMPLED,
        num_classes=len(WORDS),
        sampled_values=drawn,
    )
    loss = tf.reduce_mean(losses)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    unit = tf.nn.l2_normalize(embeddings, 1)
    similarity = tf.matmul(unit, unit, transpose_b=True)

    pairs = skip_grams()
    curve = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            some = pairs[(np.arange(BATCH) + step * BATCH) % len(pairs)]
            feeds = {words: some[:, 0], context: some[:, 1:]}
            curve.append(float(session.run([loss, train], feeds)[0]))
        close = session.run(similarity) - 2 * np.eye(len(WORDS))
    nearest = {word: WORDS[close[WORDS.index(word)].argmax()] for word in ANIMALS + THINGS}
    print(f"loss {np.mean(curve[:20]):.3f} -> {np.mean(curve[-20:]):.3f}; {nearest}")
    return curve, nearest


if __name__ == "__main__":
    main()
