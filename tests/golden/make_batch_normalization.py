"""Writes how TensorFlow trains batch normalization, with 2.21 and its tf_keras.

TF_USE_LEGACY_KERAS=1 python tests/golden/make_batch_normalization.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]
from tf_keras.src.legacy_tf_layers import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
    normalization,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from batch_normalization_cases import CASES, trained

TARGET = Path(__file__).resolve().parent / "training" / "batch_normalization.json"

if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = []
    for case in CASES:
        losses, variables = trained(tf, normalization.batch_normalization, case)
        values = {
            name: [float(f"{item:.8g}") for item in np.ravel(value)]
            for name, value in variables.items()
        }
        lines.append(f"{json.dumps(case)}: {json.dumps({'losses': losses, **values})}")
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n")
