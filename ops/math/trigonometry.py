"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Protocol, cast

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ..common.elementwise import FLOATS, binary
from ..common.jit_functions import TANH
from .exponentials import analytic

public = {
    "td, td.math": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan",
    "td, td.math, td.nn": "tanh",
    "td.keras.activations": "tanh",
}


class Angle(Protocol):
    """The public function of `atan2`."""

    def __call__(self, y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
        """Adds the ops to the default graph."""


sin = analytic("sin", "Sin", np.sin, "The sine of an angle in radians.", ("[0.0]", "[0.]"))
cos = analytic("cos", "Cos", np.cos, "The cosine of an angle in radians.", ("[0.0]", "[1.]"))
tan = analytic("tan", "Tan", np.tan, "The tangent of an angle in radians.", ("[0.0]", "[0.]"))
asin = analytic("asin", "Asin", np.arcsin, "The angle whose sine is `x`.", ("[1.0]", "[1.5707964]"))
acos = analytic("acos", "Acos", np.arccos, "The angle whose cosine is `x`.", ("[1.0]", "[0.]"))
atan = analytic("atan", "Atan", np.arctan, "The angle whose tangent is `x`.", ("[0.0]", "[0.]"))
sinh = analytic("sinh", "Sinh", np.sinh, "The hyperbolic sine.", ("[0.0]", "[0.]"))
cosh = analytic("cosh", "Cosh", np.cosh, "The hyperbolic cosine.", ("[0.0]", "[1.]"))
tanh = analytic(
    "tanh", "Tanh", np.tanh, "The hyperbolic tangent.", ("[0.0, 100.0]", "[0. 1.]"), True, TANH
)
asinh = analytic(
    "asinh", "Asinh", np.arcsinh, "The number whose hyperbolic sine is `x`.", ("[0.0]", "[0.]")
)
acosh = analytic(
    "acosh", "Acosh", np.arccosh, "The number whose hyperbolic cosine is `x`.", ("[1.0]", "[0.]")
)
atanh = analytic(
    "atanh", "Atanh", np.arctanh, "The number whose hyperbolic tangent is `x`.", ("[0.0]", "[0.]")
)
atan2 = cast(
    "Angle",
    binary(
        "atan2",
        "Atan2",
        np.arctan2,
        FLOATS,
        "The angle of the point `(x, y)`, between -pi and pi.",
        ("[1.0, 0.0], [0.0, 1.0]", "[1.5707964 0.       ]"),
        args=("y", "x"),
    ),
)
