"""An input pipeline of datasets: records written, read, shuffled and batched, to learn from."""

from __future__ import annotations

import os
import tempfile

import numpy as np

import tensordraft as tf

FILES, ROWS, EPOCHS = 3, 50, 4
FEATURES = {
    "x": tf.FixedLenFeature([2], tf.float32),
    "y": tf.FixedLenFeature([], tf.float32),
}


def write_files(folder: str) -> list[str]:
    """Files of records: points of the plane y = 2 x0 - x1 + 0.5, one a record."""
    rng = np.random.RandomState(3)
    paths = []
    for i in range(FILES):
        paths.append(os.path.join(folder, f"part-{i}.tfrecords"))
        with tf.python_io.TFRecordWriter(paths[-1]) as writer:
            for x in rng.uniform(-1.0, 1.0, [ROWS, 2]):
                y = 2.0 * x[0] - x[1] + 0.5 + 0.01 * rng.randn()
                values = {"x": x, "y": [y]}
                features = {
                    name: tf.train.Feature(float_list=tf.train.FloatList(value=value))
                    for name, value in values.items()
                }
                example = tf.train.Example(features=tf.train.Features(feature=features))
                writer.write(example.SerializeToString())
    return paths


def read(paths: list[str]) -> tf.data.Dataset:
    """The examples of files, whose records come in turns."""
    names = tf.data.Dataset.from_tensor_slices(paths)
    records = names.interleave(tf.data.TFRecordDataset, cycle_length=2, block_length=4)
    return records.map(lambda record: tf.parse_single_example(record, FEATURES))


def main() -> tuple[list[float], float, np.ndarray]:
    """Fits the plane; the loss at every tenth batch, that on the last file, and the plane."""
    with tempfile.TemporaryDirectory() as folder:
        *train, test = write_files(folder)
        learned = read(train).shuffle(40, seed=6).repeat(EPOCHS).batch(16).prefetch(2)
        judged = read([test]).batch(ROWS)
        iterator = tf.data.Iterator.from_structure(
            tf.data.get_output_types(learned), tf.data.get_output_shapes(learned)
        )
        batch = iterator.get_next()

        plane = tf.Variable([0.0, 0.0, 0.0], name="plane")
        found = tf.tensordot(batch["x"], plane[:2], 1) + plane[2]
        loss = tf.reduce_mean(tf.square(found - batch["y"]))
        step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

        begin = [iterator.make_initializer(dataset) for dataset in (learned, judged)]
        losses: list[float] = []
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), begin[0]])
            try:
                while True:
                    losses.append(float(session.run([loss, step])[0]))
            except tf.errors.OutOfRangeError:
                session.run(begin[1])
            error = float(session.run(loss))
            fitted = session.run(plane)
    print("batches:", len(losses))
    print("losses: ", " ".join(f"{value:.4f}" for value in losses[::5]))
    print(f"test:    {error:.6f}")
    print("plane:  ", " ".join(f"{value:.3f}" for value in fitted))
    return losses[::5], error, fitted


if __name__ == "__main__":
    main()
