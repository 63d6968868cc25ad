"""Writes signals.npz with TensorFlow 2.21, which nothing else needs.

python tests/golden/make_signals.py

The cases are in `signal_cases.py`, which tests build with this package.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import signal_cases  # type: ignore[import-not-found, unused-ignore]  # beside this script
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]


def main() -> None:
    """Writes the result of each case."""
    arrays = {}
    with tf.Graph().as_default(), tf.Session() as session:
        for name, function in signal_cases.CASES.items():
            arrays[name] = session.run(function(tf))
    np.savez_compressed(Path(__file__).parent / "signals.npz", **arrays)


if __name__ == "__main__":
    main()
