"""Activations that later versions of Keras have by name."""

from __future__ import annotations

from typing import Any

from ...ops.array.cast import cast
from ...ops.array.constants import ones_like, zeros_like
from ...ops.array.split import split
from ...ops.math.arithmetic import maximum, minimum
from ...ops.math.comparison import greater
from ...ops.math.cumsum import cumsum
from ...ops.math.exponentials import sigmoid, sqrt
from ...ops.math.reductions import reduce_sum
from ...ops.math.trigonometry import tanh
from ...ops.math.where import where_v2
from ...ops.nn.activations import elu, leaky_relu as plain_leaky_relu, log_softmax, relu6, softplus
from ...ops.sorting.sort import sort
from ...ops.special.error_functions import erf

public = {
    "td.keras.activations": (
        "celu gelu glu hard_shrink hard_sigmoid_3 hard_silu hard_swish=hard_silu hard_tanh "
        "leaky_relu log_sigmoid log_softmax=log_softmax_of mish relu6=relu6_of silu swish=silu "
        "soft_shrink sparse_plus sparse_sigmoid sparsemax squareplus tanh_shrink threshold"
    ),
}


def gelu(x: Any, approximate: bool = False) -> Any:
    """Gaussian error linear unit: `x * P(X <= x)` (Hendrycks and Gimpel, 2016).

    Args:
        x: a tensor of floats.
        approximate: whether the probability is computed by a hyperbolic tangent.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.gelu(td.constant([0.0, 1.0]))).round(4))
        [0.     0.8413]
    """
    if approximate:
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + erf(x * 0.7071067811865476))


def silu(x: Any) -> Any:
    """`x * sigmoid(x)`, also called swish.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.silu(td.constant([0.0, 1.0]))).round(4))
        [0.     0.7311]
    """
    return x * sigmoid(x)


def mish(x: Any) -> Any:
    """`x * tanh(softplus(x))` (Misra, 2019).

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.mish(td.constant([0.0, 1.0]))).round(4))
        [0.     0.8651]
    """
    return x * tanh(softplus(x))


def relu6_of(x: Any) -> Any:
    """`x` between 0 and 6.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.relu6(td.constant([-1.0, 9.0]))))
        [0. 6.]
    """
    return relu6(x)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """`x` where it is positive, else `negative_slope * x`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.leaky_relu(td.constant([-1.0, 9.0]))))
        [-0.2  9. ]
    """
    return plain_leaky_relu(x, negative_slope)


def log_sigmoid(x: Any) -> Any:
    """Logarithm of the sigmoid.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.log_sigmoid(td.constant([0.0]))).round(4))
        [-0.6931]
    """
    return -softplus(-x)


def log_softmax_of(x: Any, axis: int = -1) -> Any:
    """Logarithm of the softmax.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.keras.activations.log_softmax(td.constant([[0.0, 0.0]]))
        ...     print(session.run(y).round(4))
        [[-0.6931 -0.6931]]
    """
    return log_softmax(x, axis)


def hard_sigmoid_3(x: Any) -> Any:
    """The hard sigmoid of Keras 3: a line of slope 1/6 through (0, 0.5), cut off at 0 and at 1.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.hard_sigmoid_3(td.constant([-3.0, 1.5]))))
        [0.   0.75]
    """
    return relu6(x + 3.0) / 6.0


def hard_silu(x: Any) -> Any:
    """`x` times the hard sigmoid of Keras 3, also called hard swish.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(
        ...         session.run(td.keras.activations.hard_silu(td.constant([-3.0, 1.0]))).round(4)
        ...     )
        [-0.      0.6667]
    """
    return x * hard_sigmoid_3(x)


def hard_tanh(x: Any) -> Any:
    """`x` between -1 and 1.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.hard_tanh(td.constant([-3.0, 0.5]))))
        [-1.   0.5]
    """
    return maximum(minimum(x, 1.0), -1.0)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, else `alpha * (exp(x / alpha) - 1)`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.celu(td.constant([-1.0, 2.0]))).round(4))
        [-0.6321  2.    ]
    """
    return maximum(x, 0.0) + alpha * elu(minimum(x, 0.0) / alpha)


def glu(x: Any, axis: int = -1) -> Any:
    """The first half of `x` along a dimension, times the sigmoid of the second.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.glu(td.constant([[2.0, 0.0]]))))
        [[1.]]
    """
    first, second = split(x, 2, axis)
    return first * sigmoid(second)


def tanh_shrink(x: Any) -> Any:
    """`x - tanh(x)`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.tanh_shrink(td.constant([1.0]))).round(4))
        [0.2384]
    """
    return x - tanh(x)


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x`, or 0 where it is within a threshold of 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.hard_shrink(td.constant([0.4, -1.0]))))
        [ 0. -1.]
    """
    return where_v2(greater(abs(x), threshold), x, zeros_like(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x`, nearer to 0 by a threshold, or 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.soft_shrink(td.constant([0.4, -1.0]))))
        [ 0.  -0.5]
    """
    return maximum(x - threshold, 0.0) + minimum(x + threshold, 0.0)


def squareplus(x: Any, b: float = 4) -> Any:
    """`(x + sqrt(x² + b)) / 2`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.squareplus(td.constant([0.0]))))
        [1.]
    """
    return (x + sqrt(x * x + float(b))) / 2.0


def sparse_plus(x: Any) -> Any:
    """0 up to -1, `x` from 1 on, and `(x + 1)² / 4` between.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.sparse_plus(td.constant([-2.0, 0.0, 3.0]))))
        [0.   0.25 3.  ]
    """
    between = maximum(minimum(x, 1.0), -1.0) + 1.0
    return between * between / 4.0 + maximum(x - 1.0, 0.0)


def sparse_sigmoid(x: Any) -> Any:
    """0 up to -1, 1 from 1 on, and a line between.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.sparse_sigmoid(td.constant([-2.0, 0.0]))))
        [0.  0.5]
    """
    return 0.5 * (hard_tanh(x) + 1.0)


def threshold(x: Any, threshold: float = 1.0, default_value: float = 0.0) -> Any:
    """`x` where it is greater than a threshold, else a default value.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.keras.activations.threshold(td.constant([0.5, 2.0]), 1.0, -1.0)
        ...     print(session.run(y))
        [-1.  2.]
    """
    return where_v2(greater(x, threshold), x, zeros_like(x) + default_value)


def sparsemax(x: Any, axis: int = -1) -> Any:
    """Probabilities of which many are 0 (Martins and Astudillo, 2016), as Keras 3 computes them.

    Keras subtracts the sum of all partial sums where the paper has the last of them, so that the
    results of two and more candidates are smaller than probabilities.

    Args:
        x: a tensor of floats.
        axis: the dimension, which must be the last.

    Raises:
        ValueError: it is another dimension.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.sparsemax(td.constant([[1.0, 0.5, -1.0]]))))
        [[0.25 0.   0.  ]]
    """
    if axis not in (-1, x.shape.rank - 1):
        raise ValueError(f"axis must be the last dimension, got {axis}")
    ordered = sort(x, axis=-1, direction="DESCENDING")
    sums = cumsum(ordered, -1)
    ranks = cumsum(ones_like(x), -1)
    inside = cast(greater(1.0 + ranks * ordered, sums), x.dtype)
    count = reduce_sum(inside, -1, keepdims=True)
    level = (reduce_sum(sums * inside, -1, keepdims=True) - 1.0) / count
    return maximum(x - level, 0.0)
