"""Writes what TensorFlow (2.21) says of the distributions in `distribution_cases.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

GOLDEN = Path(__file__).resolve().parent
sys.path.insert(0, str(GOLDEN.parent))

from distribution_cases import CASES, answers


def main() -> None:
    """Writes the file."""
    tf.disable_v2_behavior()
    found = {}
    for name in CASES:
        with tf.Graph().as_default(), tf.Session() as session:
            for method, value in session.run(answers(tf, name)).items():
                found[f"{name}/{method}"] = value
    np.savez_compressed(GOLDEN / "distributions.npz", **found)


if __name__ == "__main__":
    main()
