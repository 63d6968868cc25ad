"""Gradients of branches and loops, first and second, beside TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest
from golden import loop_gradient_cases
from places import GOLDEN

import tensordraft as td

FOUND = np.load(GOLDEN / "loop_gradients.npz")


def same(results: list[np.ndarray], name: str) -> None:
    for i, result in enumerate(results):
        wanted = FOUND[f"{name}:{i}"]
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", loop_gradient_cases.CASES)
def test_gradients_are_those_of_tensorflow(name: str) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        tensors = [td.convert_to_tensor(x) for x in loop_gradient_cases.gradients(td, name)]
        same(session.run(tensors), name)
        names = [tensor.name for tensor in tensors]
        data = graph.as_graph_def()
    with td.Graph().as_default() as graph, td.Session() as session:
        td.import_graph_def(data, name="")
        same(session.run(names), name)
