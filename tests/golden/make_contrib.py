"""Writes what the layers and train ops of tf_slim, contrib's own code, give on TensorFlow 2.21.

python tests/golden/make_contrib.py, with tf_keras 2.21 and tf_slim 1.1.0
"""

# mypy: ignore-errors

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import ops

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from contributed_layers import CASES, WAYS, looked_at, losses_of

FOLDER = Path(__file__).resolve().parent


def slim_of_today():
    """tf_slim, with the names that it looks for in TensorFlow where they were."""
    for part in ("", ".normalization", ".core", ".convolutional", ".pooling", ".base"):
        module = importlib.import_module(f"tf_keras.src.legacy_tf_layers{part}")
        sys.modules[f"tf_keras.legacy_tf_layers{part}"] = module
    ops.Tensor, ops.Operation, ops.IndexedSlices = tf.Tensor, tf.Operation, tf.IndexedSlices
    slim = importlib.import_module("tf_slim")
    slim.utils = importlib.import_module("tf_slim.layers.utils")
    return slim


if __name__ == "__main__":
    tf.disable_v2_behavior()
    slim = slim_of_today()
    found = {
        "layers": {name: looked_at(tf, slim, name) for name in CASES},
        "training": {name: losses_of(tf, slim, name) for name in WAYS},
    }
    for kind, results in found.items():
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in results.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        FOLDER.joinpath("training", f"contrib_{kind}.json").write_text(text)
