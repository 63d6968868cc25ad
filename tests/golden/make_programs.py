"""Writes what the programs for TensorFlow 1.x under examples/programs give on TensorFlow 2.21.

python tests/golden/make_programs.py, with tf_keras 2.21
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

FOLDER = Path(__file__).resolve().parent
PROGRAMS = [
    "autoencoder", "bandit", "generative_adversary", "lenet", "linear_regression",
    "matrix_factorisation", "multilayer_perceptron", "variational_autoencoder", "word2vec",
]  # fmt: skip


def curve_of(name: str) -> list[Any]:
    """The curve that the main function of a program gives first."""
    path = FOLDER.parent.parent / "examples" / "programs" / f"{name}.py"
    names: dict[str, Any] = {"__name__": name}
    text = path.read_text().replace("import tensordraft as tf", "import tensorflow.compat.v1 as tf")
    exec(compile(text, str(path), "exec"), names)  # noqa: S102
    with tf.Graph().as_default():
        curve = np.array(names["main"]()[0])
    return [float(f"{number:.7g}") for number in curve.reshape(len(curve), -1)[:, 0]]


if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = [f"{json.dumps(name)}: {json.dumps(curve_of(name))}" for name in PROGRAMS]
    FOLDER.joinpath("training", "programs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
