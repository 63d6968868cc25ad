"""Writes `ends.pb` with TensorFlow 2.21: what cond, case, loops and assertions leave unread.

python tests/golden/make_ends.py
"""

from __future__ import annotations

from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

tf.disable_v2_behavior()
tf.disable_control_flow_v2()
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None], name="x")
    training = tf.placeholder_with_default(False, [], name="training")
    rate = tf.placeholder_with_default(tf.constant(0.5), [], name="rate")
    dropped = tf.cond(training, lambda: x * rate, lambda: x * 2.0)
    size = tf.size(x)
    scaled = tf.case(
        [(size < 2, lambda: x * 3.0), (size < 4, lambda: x * 4.0)],
        default=lambda: -x,
        exclusive=True,
    )
    _, power = tf.while_loop(
        lambda i, _: i < 3, lambda i, y: (i + 1, y * 2.0), [tf.constant(0), dropped]
    )
    rows = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, rows: (i + 1, rows.write(i, x)),
        [0, tf.TensorArray(tf.float32, 3)],
    )[1].stack()
    tf.identity(rows, name="rows")
    with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), ["not positive", x])]):
        tf.add(power, scaled, name="y")
    tf.summary.scalar("mean", tf.reduce_mean(power))
    tf.constant(["cat", "dog"], name="labels")
(Path(__file__).parent / "files" / "ends.pb").write_bytes(graph.as_graph_def().SerializeToString())
