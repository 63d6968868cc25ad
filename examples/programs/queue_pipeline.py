"""An input pipeline of queues: the lines of files, epoch after epoch, in batches to learn from."""

from __future__ import annotations

import os
import tempfile

import numpy as np

import tensordraft as tf

FILES, LINES, EPOCHS = 3, 40, 4


def write_files(folder: str) -> list[str]:
    """Text files of points near the line y = 3 x - 1, one point a line, below a header."""
    rng = np.random.RandomState(8)
    paths = []
    for i in range(FILES):
        x = rng.uniform(-1.0, 1.0, LINES)
        y = 3.0 * x - 1.0 + 0.05 * rng.randn(LINES)
        rows = [f"{a:.6f} {b:.6f}" for a, b in zip(x, y, strict=True)]
        paths.append(os.path.join(folder, f"part-{i}.txt"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write("\n".join(["x y", *rows]) + "\n")
    return paths


def main() -> tuple[list[float], np.ndarray]:
    """Fits the line; the loss at every tenth batch, and the slope and intercept."""
    with tempfile.TemporaryDirectory() as folder:
        names = tf.train.string_input_producer(write_files(folder), EPOCHS, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(names)
        numbers = tf.string_to_number(tf.string_split([line]).values)
        point = tf.reshape(numbers, [2])
        batch = tf.train.batch([point], batch_size=8, capacity=64)

        line_fitted = tf.Variable([0.0, 0.0], name="line")
        residual = line_fitted[0] * batch[:, 0] + line_fitted[1] - batch[:, 1]
        loss = tf.reduce_mean(tf.square(residual))
        train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

        losses: list[float] = []
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while not coordinator.should_stop():
                    losses.append(float(session.run([loss, train])[0]))
            except tf.errors.OutOfRangeError:
                pass  # every file has been read so many times
            finally:
                coordinator.request_stop()
                coordinator.join(threads)
            found = session.run(line_fitted)
    print("batches:", len(losses))
    print("losses: ", " ".join(f"{value:.4f}" for value in losses[::10]))
    print("line:   ", " ".join(f"{value:.3f}" for value in found))
    return losses[::10], found


if __name__ == "__main__":
    main()
