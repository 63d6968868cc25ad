"""Layers of feature columns, for tensordraft and for TensorFlow alike."""

from __future__ import annotations

from typing import Any

import numpy as np


def features(tf: Any) -> dict[str, Any]:
    """Features of three examples."""
    return {
        "age": tf.constant([[0.5], [1.5], [2.5]]),
        "sizes": tf.constant([[0.5, 3.0], [1.5, -1.0], [2.5, 2.0]]),
        "colour": tf.constant([["red"], ["green"], ["unheard of"]]),
        "words": tf.constant([["a", "b"], ["", "c"], ["d", ""]]),
        "twice": tf.constant([["a", "b"], ["u", "c"], ["d", "v"]]),
        "weights": tf.constant([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]),
        "month": tf.constant([[0, 1], [2, -1], [3, 3]], tf.int64),
        "day": tf.constant([[1, 1], [-1, -1], [0, 3]], tf.int64),
        "year": tf.constant([7, 9, 8], tf.int64),
        "held": tf.SparseTensor([[0, 1], [2, 0]], tf.constant([2, 1], tf.int64), [3, 2]),
    }


def columns(tf: Any, vocabulary_file: str) -> dict[str, Any]:
    """Columns by name."""
    fc = tf.feature_column
    age = fc.numeric_column("age", normalizer_fn=lambda x: x * 2.0)
    sizes = fc.numeric_column("sizes", shape=2)
    groups = fc.bucketized_column(sizes, [1.0, 2.0])
    colour = fc.categorical_column_with_vocabulary_list(
        "colour", ["red", "green", "blue"], num_oov_buckets=2
    )
    year = fc.categorical_column_with_vocabulary_list("year", [7, 8], default_value=1)
    words = fc.categorical_column_with_hash_bucket("words", 5)
    listed = fc.categorical_column_with_vocabulary_file("twice", vocabulary_file, num_oov_buckets=1)
    month = fc.categorical_column_with_identity("month", 4)
    day = fc.categorical_column_with_identity("day", 4)
    held = fc.categorical_column_with_identity("held", 2, default_value=0)
    heavy = fc.weighted_categorical_column(listed, "weights")
    cross = fc.crossed_column([groups, "colour"], 20)
    nested = fc.crossed_column([cross, "words"], 10, hash_key=3)
    shared = fc.shared_embedding_columns([month, day], 2)
    return {
        "age": age,
        "groups": groups,
        "colour": colour,
        "colour_1": fc.indicator_column(colour),
        "year_1": fc.indicator_column(year),
        "words_e": fc.embedding_column(words, 3),
        "words_n": fc.embedding_column(words, 3, combiner="sqrtn", max_norm=0.5),
        "words": words,
        "heavy": heavy,
        "heavy_1": fc.indicator_column(heavy),
        "heavy_e": fc.embedding_column(heavy, 2),
        "heavy_s": fc.embedding_column(heavy, 2, combiner="sum"),
        "held": held,
        "held_1": fc.indicator_column(held),
        "cross": cross,
        "nested_1": fc.indicator_column(nested),
        "month_s": shared[0],
        "day_s": shared[1],
    }


LAYERS = {
    "numbers": "age groups",
    "indicators": "colour_1 year_1 heavy_1 held_1 nested_1",
    "embeddings": "words_e heavy_e month_s day_s",
    "combiners": "words_n heavy_s",
}
MODELS = {
    "plain": ("age groups colour cross", 1, "sum"),
    "sparse": ("words heavy held", 3, "sum"),
    "mean": ("words heavy words_e", 2, "mean"),
}


def result_of(tf: Any, vocabulary_file: str, kind: str, name: str) -> dict[str, Any]:
    """The names of variables and the values of a layer, whose variables have set values."""
    with tf.Graph().as_default():
        made = columns(tf, vocabulary_file)
        if kind == "layer":
            chosen = [made[key] for key in LAYERS[name].split()]
            layer = tf.feature_column.input_layer(features(tf), chosen)
        else:
            keys, units, combiner = MODELS[name]
            chosen = [made[key] for key in keys.split()]
            layer = tf.feature_column.linear_model(features(tf), chosen, units, combiner)
        variables = tf.global_variables()
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            for number, variable in enumerate(variables):
                sizes = variable.shape.as_list()
                values = np.sin(np.arange(np.prod(sizes)) + number).reshape(sizes)
                variable.load(values.astype(np.float32), session)
            values = session.run(layer)
        return {"variables": [v.name for v in variables], "values": values.tolist()}


CASES = [*[("layer", name) for name in LAYERS], *[("model", name) for name in MODELS]]
