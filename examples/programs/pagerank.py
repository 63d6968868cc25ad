"""PageRank over a list of links: ranks flow along the links until they no longer change."""

from __future__ import annotations

import tensordraft as tf

PAGES = ["home", "news", "blog", "shop", "help", "jobs"]
LINKS = [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (2, 1), (3, 0), (3, 4), (4, 0), (5, 0), (5, 4)]
DAMPING = 0.85


def main() -> dict[str, float]:
    """Ranks the pages; the ranks sum to one."""
    number = len(PAGES)
    sources = tf.constant([source for source, _ in LINKS], name="sources")
    targets = tf.constant([[target] for _, target in LINKS], name="targets")

    links_out = tf.scatter_nd(tf.expand_dims(sources, 1), tf.ones([len(LINKS)]), [number])
    stranded = tf.equal(links_out, 0.0)

    def unsettled(rank: tf.Tensor, change: tf.Tensor, rounds: tf.Tensor) -> tf.Tensor:
        return change > 1e-6

    def flow(rank: tf.Tensor, change: tf.Tensor, rounds: tf.Tensor) -> tuple[tf.Tensor, ...]:
        share = tf.gather(rank / tf.maximum(links_out, 1.0), sources)
        received = tf.scatter_nd(targets, share, [number])
        lost = tf.reduce_sum(tf.boolean_mask(rank, stranded))
        new_rank = (1.0 - DAMPING) / number + DAMPING * (received + lost / number)
        return new_rank, tf.reduce_sum(tf.abs(new_rank - rank)), rounds + 1

    start = [tf.fill([number], 1.0 / number), tf.constant(1.0), tf.constant(0)]
    rank, _, rounds_taken = tf.while_loop(unsettled, flow, start)

    with tf.Session() as session:
        values, rounds = session.run([rank, rounds_taken])
    ranks = dict(zip(PAGES, values.tolist(), strict=True))
    print(f"settled after {rounds} rounds")
    for page, value in sorted(ranks.items(), key=lambda item: -item[1]):
        print(f"{value:.4f}  {page}")
    return ranks


if __name__ == "__main__":
    main()
