"""The worked example on a frozen classifier finds what it states; its files match."""

from __future__ import annotations

import runpy

import numpy as np
import pytest
from places import EXAMPLES

import tensordraft as td

MOST_LINES = 85

pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir(), reason="the examples are not part of this installation"
)


def test_the_example_finds_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    program = runpy.run_path(str(EXAMPLES / "classifier.py"))
    shapes, probabilities, alike = program["main"]()
    assert list(shapes.items())[:2] == [
        ("shapes_1/edges_1/convolution:0", "(batch, 16, 16, 8)"),
        ("shapes_1/half_1/MaxPool2d:0", "(batch, 8, 8, 8)"),
    ]
    assert shapes["shapes_1/features_1/Mean:0"] == "(batch, 24)"
    assert shapes["shapes_1/answer_1/Softmax:0"] == "(batch, 5)"
    assert list(probabilities) == ["disc", "ring", "square", "triangle", "cross"]
    assert probabilities["triangle"] == pytest.approx(0.9999605, rel=1e-5)
    assert probabilities["square"] == pytest.approx(2.1243735e-05, rel=1e-3)
    assert alike[:2] == ["triangle", "triangle"]
    assert (len(alike), alike[-1]) == (10, "disc")
    printed = capsys.readouterr().out
    assert "shapes.pb has 3 Conv2D, 1 DepthwiseConv2dNative, 2 MaxPool" in printed
    assert "triangle   99.996%" in printed
    assert "take 48 of 57 nodes" in printed
    assert printed.endswith("The rest of the graph makes of them: triangle.\n")


def test_the_example_is_a_page_and_its_files_are_small() -> None:
    assert len((EXAMPLES / "classifier.py").read_text().splitlines()) <= MOST_LINES
    assert (EXAMPLES / "shapes.pb").stat().st_size < 30_000
    assert (EXAMPLES / "shapes.npz").stat().st_size < 15_000


def test_the_classifier_gives_what_tensorflow_computed() -> None:
    case = np.load(EXAMPLES / "shapes.npz")
    graph = td.load_graph(EXAMPLES / "shapes.pb")
    with td.Session(graph=graph) as session:
        result = session.run(str(case["output_name"]), {str(case["input_name"]): case["input"]})
    assert result.dtype == case["output"].dtype
    np.testing.assert_allclose(result, case["output"], rtol=2e-4, atol=1e-7)
    assert result.argmax(1).tolist() == [0, 1, 2, 3, 4] * 2
