"""Writes how many ops calls of TensorFlow 2.21 add to a graph, with its tf_keras.

TF_USE_LEGACY_KERAS=1 python tests/golden/make_op_counts.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from op_count_cases import CASES

TARGET = Path(__file__).resolve().parent / "training" / "op_counts.json"

if __name__ == "__main__":
    tf.disable_v2_behavior()
    counts = {}
    for name, make in CASES.items():
        with tf.Graph().as_default() as graph:
            make(tf)
            counts[name] = len(graph.get_operations())
    TARGET.write_text(json.dumps(counts, indent=0) + "\n")
