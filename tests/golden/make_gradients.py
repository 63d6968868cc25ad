"""Writes gradients.npz and loop_gradients.npz with TensorFlow 2.21, which nothing else needs.

python tests/golden/make_gradients.py

The cases are in `gradient_cases.py` and `loop_gradient_cases.py`, which tests build with this
package.
"""

from __future__ import annotations

from pathlib import Path

import gradient_cases  # type: ignore[import-not-found, unused-ignore]  # beside this script
import loop_gradient_cases  # type: ignore[import-not-found, unused-ignore]
import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]


def main() -> None:
    """Writes, for each case, the gradient of each input."""
    tf.enable_control_flow_v2()  # loops of TensorFlow 1.x have no second derivative
    for cases, file in (
        (gradient_cases, "gradients.npz"),
        (loop_gradient_cases, "loop_gradients.npz"),
    ):
        arrays = {}
        for name in cases.CASES:
            with tf.Graph().as_default(), tf.Session() as session:
                for i, value in enumerate(session.run(cases.gradients(tf, name))):
                    arrays[f"{name}:{i}"] = value
        np.savez_compressed(Path(__file__).parent / file, **arrays)


if __name__ == "__main__":
    main()
