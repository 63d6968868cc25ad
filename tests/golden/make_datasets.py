"""Writes what comes out of TensorFlow's datasets, with 2.21.

python tests/golden/make_datasets.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parent))
from dataset_cases import CASES  # type: ignore[import-not-found, unused-ignore]
from dataset_records import recorded  # type: ignore[import-not-found, unused-ignore]

if __name__ == "__main__":
    tf.disable_v2_behavior()
    found = {name: recorded(tf, CASES[name]) for name in CASES}
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in CASES]
    path = Path(__file__).resolve().parent / "datasets.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
