"""Records a checkpoint of objects that TensorFlow 2.21 writes in graph mode, after three steps."""

from __future__ import annotations

from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

TARGET = Path(__file__).parent / "objects"


def main() -> None:
    tf.disable_v2_behavior()
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.Module(name="model")
        model.w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        model.parts = [tf.Variable(3.0, name="p0"), {"k": tf.Variable(4.0, name="pk")}]
        model._hidden = tf.Variable(5.0, name="hidden", use_resource=True)
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_sum(tf.square(model.w - 1.0))
        optimizer = tf.train.AdamOptimizer(0.1)
        update = optimizer.minimize(loss, global_step=step)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(update)
        checkpoint.write(str(TARGET / "three"), session=session)


if __name__ == "__main__":
    main()
