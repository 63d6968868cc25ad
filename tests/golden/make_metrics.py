"""Writes what TensorFlow 2.21's metrics give over ten batches.

python tests/golden/make_metrics.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from metric_cases import CASES, ten_updates

FILE = Path(__file__).resolve().parent / "training" / "metrics.json"

if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = [
        f"{json.dumps(f'{case}: {weighted}')}: {json.dumps(ten_updates(tf, case, weighted))}"
        for case in CASES
        for weighted in (False, True)
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
