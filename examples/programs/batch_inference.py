"""Batch inference over a frozen model: variables become constants, a file, and a model again."""

from __future__ import annotations

import os
import tempfile

import numpy as np

import tensordraft as tf


def dense(inputs: tf.Tensor, units: int, name: str) -> tf.Tensor:
    """A layer whose weights are variables."""
    rng = np.random.RandomState(units)
    with tf.variable_scope(name):
        values = rng.normal(size=(int(inputs.shape[1]), units)).astype(np.float32)
        kernel = tf.get_variable("kernel", initializer=values)
        bias = tf.get_variable("bias", [units], initializer=tf.constant_initializer(0.1))
        return tf.matmul(inputs, kernel) + bias


def frozen_model(folder: str) -> tuple[str, np.ndarray]:
    """Writes a model of two layers to a file; the path, and what it makes of ones."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        features = tf.placeholder(tf.float32, [None, 4], name="features")
        hidden = tf.nn.relu(dense(features, 8, "hidden"))
        tf.nn.softmax(dense(hidden, 3, "output"), name="classes")
        session.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["classes"]
        )
        expected = session.run("classes:0", {features: np.ones((1, 4))})
    path = os.path.join(folder, "model.pb")
    with open(path, "wb") as file:
        file.write(frozen.SerializeToString())
    return path, expected


def main() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classifies ten samples; their classes, and what ones give before and after freezing."""
    samples = np.random.RandomState(5).randn(10, 4).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path, expected = frozen_model(folder)
        definition = tf.GraphDef()
        with open(path, "rb") as file:
            definition.ParseFromString(file.read())
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(definition, name="model")
        features, classes = "model/features:0", graph.get_tensor_by_name("model/classes:0")
        best = tf.argmax(classes, axis=1)
        batches = [samples[start : start + 4] for start in range(0, len(samples), 4)]
        labels = np.concatenate([session.run(best, {features: batch}) for batch in batches])
        actual = session.run(classes, {features: np.ones((1, 4))})
    print(f"{len(definition.node)} nodes; classes of ten samples: {labels}")
    return labels, expected, actual


if __name__ == "__main__":
    main()
