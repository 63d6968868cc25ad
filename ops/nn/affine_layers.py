"""Affine maps of matrices, with and without a ReLU: `td.nn.xw_plus_b`, `td.nn.relu_layer`."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..linalg.matmul import matmul
from .activations import bias_add, relu

public = {"td.nn": "relu_layer xw_plus_b"}


def xw_plus_b(x: TensorLike, weights: TensorLike, biases: Any, name: str | None = None) -> Tensor:
    """`x @ weights + biases`.

    Args:
        x: a matrix.
        weights: a matrix of the same dtype.
        biases: a vector.
        name: a name for the op that gives the result.

    Returns:
        A matrix.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.xw_plus_b([[1.0, 2.0]], [[3.0], [4.0]], [0.5])))
        [[11.5]]
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(matmul(x, weights), biases, name=scope)


def relu_layer(x: TensorLike, weights: TensorLike, biases: Any, name: str | None = None) -> Tensor:
    """`relu(x @ weights + biases)`: arguments as for `td.nn.xw_plus_b`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.relu_layer([[1.0]], [[2.0, -2.0]], [1.0, 1.0])))
        [[3. 0.]]
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return relu(bias_add(matmul(x, weights), biases), name=scope)
