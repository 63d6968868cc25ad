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

    with tf.variable_scope("pagerank"):
        rank = tf.get_variable("rank", [number], initializer=tf.constant_initializer(1.0 / number))
        change = tf.get_variable("change", [], initializer=tf.ones_initializer())

    links_out = tf.scatter_nd(tf.expand_dims(sources, 1), tf.ones([len(LINKS)]), [number])
    share = tf.gather(rank / tf.maximum(links_out, 1.0), sources)
    received = tf.scatter_nd(targets, share, [number])
    stranded = tf.reduce_sum(tf.boolean_mask(rank, tf.equal(links_out, 0.0)))
    new_rank = (1.0 - DAMPING) / number + DAMPING * (received + stranded / number)
    change_now = tf.reduce_sum(tf.abs(new_rank - rank))
    with tf.control_dependencies([change_now]):
        update = tf.group(rank.assign(new_rank), change.assign(change_now))

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        rounds = 0
        while session.run(change) > 1e-6:
            session.run(update)
            rounds += 1
        ranks = dict(zip(PAGES, session.run(rank).tolist(), strict=True))
    print(f"settled after {rounds} rounds")
    for page, value in sorted(ranks.items(), key=lambda item: -item[1]):
        print(f"{value:.4f}  {page}")
    return ranks


if __name__ == "__main__":
    main()
