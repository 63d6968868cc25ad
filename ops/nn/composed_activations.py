"""Activations that are made of other ops."""

from __future__ import annotations

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..math.arithmetic import multiply, negative
from ..math.exponentials import sigmoid
from .activations import softplus

public = {
    "td, td.math": "log_sigmoid",
    "td.nn": "swish",
}


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, `log(1 / (1 + exp(-x)))`.

    Args:
        x: a tensor of floats.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: `x` is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.log_sigmoid([0.0, -1000.0])))
        [-6.931472e-01 -1.000000e+03]
    """
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return negative(softplus(negative(x)), name=scope)


def swish(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """`x * sigmoid(beta * x)`.

    Args:
        features: a tensor of floats.
        beta: what to multiply by within the sigmoid.

    Returns:
        A Tensor of the shape and dtype of `features`.

    Raises:
        TypeError: `features` is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.swish([0.0, 100.0])))
        [  0. 100.]
    """
    with name_scope(None, "swish", [features]):
        x = convert_to_tensor(features, name="features")
        inner = x if isinstance(beta, float) and beta == 1 else multiply(x, beta)
        return multiply(x, sigmoid(inner))
