"""Writes gradients.npz with TensorFlow 2.21, which nothing else needs.

python tests/golden/make_gradients.py

The cases are in `gradient_cases.py`, which tests build with this package.
"""

from __future__ import annotations

from pathlib import Path

import gradient_cases  # type: ignore[import-not-found, unused-ignore]  # beside this script
import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]


def main() -> None:
    """Writes, for each case, the gradient of each input."""
    arrays = {}
    for name in gradient_cases.CASES:
        with tf.Graph().as_default(), tf.Session() as session:
            for i, value in enumerate(session.run(gradient_cases.gradients(tf, name))):
                arrays[f"{name}:{i}"] = value
    np.savez_compressed(Path(__file__).parent / "gradients.npz", **arrays)


if __name__ == "__main__":
    main()
