"""Records what TensorFlow's ready-made estimators learn, into estimators.json.

python tests/golden/make_estimators.py

The numbers come from tensorflow-estimator 2.15 beside TensorFlow 2.15, in an environment of their
own: later versions of TensorFlow, such as that of the other recorded numbers, have no estimators.
Each case begins from set values of its variables (the Baseline ones from TensorFlow's zeros).
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import estimator_cases as cases  # type: ignore[import-not-found, unused-ignore]  # beside this
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Runs each case twice: to know the variables, and from set values of them."""
    tf.disable_v2_behavior()
    found = {}
    for case in cases.CASES:
        shapes = None
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                found[case] = cases.result_of(tf, tf.estimator, case, shapes, Path(folder))
            shapes = found[case]["shapes"]
    HERE.joinpath("estimators.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
