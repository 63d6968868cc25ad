"""A state machine: a turnstile, whose state and statistics are variables of the graph."""

from __future__ import annotations

import tensordraft as tf

STATES = ["locked", "unlocked", "broken"]
EVENTS = ["coin", "push", "kick"]
TRANSITIONS = [[1, 0, 2], [1, 0, 2], [2, 2, 0]]  # the next state, by state and event
FARE = [[2.5, 0.0, 0.0], [2.5, 0.0, 0.0], [0.0, 0.0, 0.0]]


def main() -> tuple[list[str], list[int], float]:
    """Runs events until the turnstile closes; the states, how often each was left, the takings."""
    event = tf.placeholder(tf.int32, [], name="event")
    state = tf.Variable(0, trainable=False, name="state")
    left = tf.Variable(tf.zeros([len(STATES)], tf.int32), trainable=False, name="left")
    takings = tf.Variable(0.0, trainable=False, name="takings")
    opened = tf.Variable(0, trainable=False, name="opened")

    place = tf.stack([state, event])
    successor = tf.gather_nd(tf.constant(TRANSITIONS), place)
    fare = tf.gather_nd(tf.constant(FARE), place)
    with tf.control_dependencies([successor, fare]):
        allowed = tf.count_up_to(opened, 8)
    with tf.control_dependencies([allowed]):
        changes = [tf.scatter_add(left, state, 1), tf.assign_add(takings, fare)]
    with tf.control_dependencies(changes):
        advance = tf.assign(state, successor)

    log = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for name in ["push", "coin", "push", "coin", "coin", "kick", "coin", "kick", "push"]:
            try:
                now = session.run(advance, {event: EVENTS.index(name)})
            except tf.errors.OutOfRangeError:
                print("closed for today")
                break
            log.append(STATES[now])
            print(f"{name:>5} -> {log[-1]}")
        counts, total = session.run([left, takings])
    print(dict(zip(STATES, counts.tolist(), strict=True)), f"takings {total:.2f}")
    return log, counts.tolist(), float(total)


if __name__ == "__main__":
    main()
