"""Dilation and erosion, and the gradients that TensorFlow writes of them."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td

LOWEST = float(np.finfo("f").min)
ONCE = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1]}


def row(*values: float, dtype: str = "f") -> np.ndarray:
    return np.array(values, dtype).reshape(1, 1, -1, 1)


def window(*values: float, dtype: str = "f") -> np.ndarray:
    return np.array(values, dtype).reshape(1, -1, 1)


IMAGE, SQUARE = np.arange(9, dtype="f").reshape(1, 3, 3, 1), np.zeros((2, 2, 1), "f")
CASES = [
    Case("Dilation2D", [row(1, 5, 2, 0), window(0, 1)], ONCE | {"padding": "VALID"}, row(6, 5, 2)),
    Case("Dilation2D", [row(1, 5, 2, 0), window(0, 1)], ONCE | {"padding": "SAME"},
         row(6, 5, 2, 0), id="same"),
    Case("Dilation2D", [row(1, 5, 2, 0), window(0, 9)],
         {"strides": [1, 1, 2, 1], "rates": [1, 1, 2, 1], "padding": "SAME"}, row(11, 2),
         id="rates"),
    Case("Dilation2D", [IMAGE, SQUARE], ONCE | {"padding": "VALID"},
         np.array([4, 5, 7, 8], "f").reshape(1, 2, 2, 1), id="square"),
    Case("Dilation2D", [row(1, 2, dtype="u1"), window(255, dtype="u1")], ONCE | {"padding": "SAME"},
         row(0, 1, dtype="u1"), id="wraps"),
    Case("Dilation2D", [row(np.nan, 2, np.nan), window(0)], ONCE | {"padding": "SAME"},
         row(LOWEST, 2, LOWEST), id="nan"),
    Case("Dilation2D", [np.zeros((0, 2, 2, 1), "f"), SQUARE], ONCE | {"padding": "SAME"},
         np.zeros((0, 2, 2, 1), "f"), id="empty"),
    Case("Dilation2D", [row(1, 2), window(0, 0, 0)], ONCE | {"padding": "VALID"},
         np.zeros((1, 1, 0, 1), "f"), id="no position"),
    Case("Dilation2D", [row(1, 2), np.zeros((1, 1, 2), "f")], ONCE | {"padding": "VALID"},
         raises("the channels of input and filter")),
    Case("Dilation2D", [row(1, 2), window(0)],
         {"strides": [1, 1, 1, 1], "rates": [1, 0, 1, 1], "padding": "VALID"},
         raises("rates must be at least 1")),
    Case("Dilation2DBackpropInput", [row(1, 5, 2, 0), window(0, 1), row(1, 10, 100)],
         ONCE | {"padding": "VALID"}, row(0, 11, 100, 0)),
    Case("Dilation2DBackpropInput", [row(1, 5, 2, 0), window(0, 1), row(1, 10)],
         ONCE | {"padding": "VALID"}, raises("out_backprop"), id="shape"),
    Case("Dilation2DBackpropInput", [row(np.nan, 2, 3), window(0, 0), row(1, 10, 100)],
         ONCE | {"padding": "SAME"}, row(0, 1, 110), id="nan"),
    Case("Dilation2DBackpropFilter", [row(1, 5, 2, 0), window(0, 1), row(1, 10, 100)],
         ONCE | {"padding": "VALID"}, window(110, 1)),
    Case("Dilation2DBackpropFilter", [row(1, 5, 2, 0)[0], window(0, 1), row(1, 10, 100)],
         ONCE | {"padding": "VALID"}, raises("input must have rank 4")),
]  # fmt: skip
test_dilation = check(CASES)


def test_erosion_is_the_dilation_of_the_negative() -> None:
    with td.Graph().as_default(), td.Session() as session:
        image, kernel = row(1, 5, 2, 0), window(0, 1)
        eroded = td.nn.erosion2d(image, kernel, [1, 1, 1, 1], [1, 1, 1, 1], "VALID", name="least")
        assert eroded.op.name == "least"
        # The least of x[i] - kernel[1] and x[i + 1] - kernel[0].
        np.testing.assert_array_equal(session.run(eroded), row(0, 2, 0))


def test_names_of_tensorflow_2() -> None:
    with td.Graph().as_default(), td.Session() as session:
        one = td.nn.dilation2d(row(1, 2, 3), filters=window(0, 0), dilations=2, padding="VALID")
        np.testing.assert_array_equal(session.run(one), row(3))
        with pytest.raises(ValueError, match="filters is another name of filter"):
            td.nn.dilation2d(row(1), window(0), 1, 1, "SAME", filters=window(0))
        with pytest.raises(ValueError, match="dilations is another name of rates"):
            td.nn.dilation2d(row(1), window(0), 1, 1, "SAME", dilations=1)
