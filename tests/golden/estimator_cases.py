"""Ready-made estimators, for tensordraft and for TensorFlow alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

X = {
    "x": (np.arange(40).reshape(20, 2) / 10).astype(np.float32),
    "word": np.array([f"w{i % 7}" for i in range(20)], object),
    "weight": (np.arange(20) % 3 + 1).astype(np.float32),
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "linear 2": ("LinearClassifier", {"weight_column": "weight"}),
    "linear 3": ("LinearClassifier", {"n_classes": 3}),
    "linear": ("LinearRegressor", {}),
    "deep 2": ("DNNClassifier", {"hidden_units": [4]}),
    "deep": ("DNNRegressor", {"hidden_units": [4, 3], "optimizer": "SGD"}),
    "both 3": ("DNNLinearCombinedClassifier", {"dnn_hidden_units": [4], "n_classes": 3}),
    "constant 2": ("BaselineClassifier", {}),
    "constant": ("BaselineRegressor", {"weight_column": "weight"}),
}


def columns(tf: Any, name: str) -> dict[str, Any]:
    """The columns that an estimator gets."""
    fc = tf.feature_column
    x = fc.numeric_column("x", shape=2)
    word = fc.categorical_column_with_hash_bucket("word", 5)
    deep = [x, fc.embedding_column(word, 2)]
    if name.startswith("Linear"):
        return {"feature_columns": [x, word]}
    if name.startswith("Baseline"):
        return {}
    if name.startswith("DNNLinear"):
        return {"linear_feature_columns": [word], "dnn_feature_columns": deep}
    return {"feature_columns": deep}


def begun(tf: Any, names: dict[str, list[int]], folder: Path) -> str:
    """A checkpoint with set values of variables."""
    with tf.Graph().as_default(), tf.Session() as session:
        for number, (name, sizes) in enumerate(sorted(names.items())):
            values = np.sin(np.arange(np.prod(sizes)) + number).reshape(sizes) / 2
            tf.get_variable(name, initializer=values.astype(np.float32))
        session.run(tf.global_variables_initializer())
        path: str = tf.train.Saver().save(session, str(folder / "begin"))
        return path


def result_of(tf: Any, estimator: Any, case: str, shapes: Any, folder: Path) -> dict[str, Any]:
    """Metrics and first prediction after ten steps; begun from set values, if shapes are given."""
    kind, settings = CASES[case]
    arguments = {**settings, **columns(tf, kind)}
    if shapes and not kind.startswith("Baseline"):
        arguments["warm_start_from"] = begun(tf, shapes, folder)
    number = settings.get("n_classes", 2)
    y = np.arange(20) % number if "Classifier" in kind else np.sin(np.arange(20.0))

    def rows(epochs: int | None) -> Any:
        return estimator.inputs.numpy_input_fn(X, y, 5, epochs, shuffle=False)

    model = getattr(estimator, kind)(model_dir=str(folder / "model"), **arguments)
    model.train(rows(None), steps=10)
    found = {key: float(value) for key, value in model.evaluate(rows(1)).items()}
    first = next(iter(model.predict(rows(1))))
    key = "probabilities" if "Classifier" in kind else "predictions"
    slots = ("Adagrad", "Ftrl", "Ftrl_1")
    names = [n for n in model.get_variable_names() if not n.endswith(slots) and n != "global_step"]
    return {
        "metrics": found,
        "first": first[key].tolist(),
        "shapes": {name: list(model.get_variable_value(name).shape) for name in names},
    }
