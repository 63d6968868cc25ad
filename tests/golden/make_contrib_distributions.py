"""Writes what TensorFlow Probability (0.25) says of `contrib_distribution_cases.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow_probability as tfp  # type: ignore[import-not-found, import-untyped, unused-ignore]

GOLDEN = Path(__file__).resolve().parent
sys.path.insert(0, str(GOLDEN.parent))

from contrib_distribution_cases import CASES, answers


def main() -> None:
    """Writes the file."""
    found = {
        f"{name}/{method}": value.numpy()
        for name in CASES
        for method, value in answers(tfp.distributions, name).items()
    }
    np.savez_compressed(GOLDEN / "contrib_distributions.npz", **found)


if __name__ == "__main__":
    main()
