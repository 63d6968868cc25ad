"""Gradients beside those that TensorFlow computed: see tests/golden/make_gradients.py."""

from __future__ import annotations

import numpy as np
import pytest
from golden import gradient_cases
from places import GOLDEN

import tensordraft as td

FOUND = np.load(GOLDEN / "gradients.npz")


@pytest.mark.parametrize("name", gradient_cases.CASES)
def test_gradients_are_those_of_tensorflow(name: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        results = session.run(gradient_cases.gradients(td, name))
    for i, result in enumerate(results):
        wanted = FOUND[f"{name}:{i}"]
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=1e-6, atol=1e-9)
