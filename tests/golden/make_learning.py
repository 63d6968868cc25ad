"""Writes how layers and losses learn for ten steps with TensorFlow 2.21, and its tf_keras.

TF_USE_LEGACY_KERAS=1 python tests/golden/make_learning.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from learning_cases import LAYERS, LOSSES, learned

TARGET = Path(__file__).resolve().parent / "training" / "learning.json"

if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = [
        f"{json.dumps(f'{kind}.{name}')}: "
        + json.dumps([float(f"{value:.7g}") for value in learned(tf, kind, name)])
        for kind, names in (("layers", LAYERS), ("losses", LOSSES))
        for name in names
    ]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n")
