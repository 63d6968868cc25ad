"""Records what TensorFlow's feature columns give, into feature_columns.json.

python tests/golden/make_feature_columns.py
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import feature_column_cases as cases  # type: ignore[import-not-found, unused-ignore]  # beside this
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Runs all cases, and writes what they give."""
    tf.disable_v2_behavior()
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder, "words.txt")
        words.write_text("a\nb\nc\n", encoding="utf-8")
        found: dict[str, Any] = {
            f"{kind} {name}": cases.result_of(tf, str(words), kind, name)
            for kind, name in cases.CASES
        }
    HERE.joinpath("feature_columns.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
