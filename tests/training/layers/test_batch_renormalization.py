"""Batch normalization with `renorm` and in virtual batches: ten steps beside TensorFlow."""

from __future__ import annotations

import json

import numpy as np
import pytest
from batch_normalization_cases import CASES, trained
from places import GOLDEN

import tensordraft as td

RECORDED = json.loads((GOLDEN / "training" / "batch_normalization.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_ten_steps(case: str) -> None:
    expected = dict(RECORDED[case])
    losses, variables = trained(td, td.layers.batch_normalization, case)
    np.testing.assert_allclose(losses, expected.pop("losses"), rtol=1e-5)
    assert list(variables) == list(expected)
    for name, value in variables.items():
        np.testing.assert_allclose(value.ravel(), expected[name], rtol=1e-5, atol=1e-6)
