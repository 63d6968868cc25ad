"""Functions of Keras's backend that normalize, draw, print and classify tensors."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor
from ...ops.array.cast import cast
from ...ops.array.reshape import reshape
from ...ops.common.shared_docs import shared_docs
from ...ops.debugging.print_ops import Print
from ...ops.math.comparison import less_equal
from ...ops.nn.normalization import batch_normalization as plain_normalization
from ...ops.random.uniform_and_normal import random_normal, random_uniform
from ...ops.sparse.sparse_to_dense import sparse_tensor_to_dense
from ...ops.statistics.moments import moments
from ...ops.variable_scopes.moving_averages import assign_moving_average
from ...training.layers.layer_names import forget_names
from .config import floatx, variable
from .keras_tensors import call_of

public = {
    "td.keras.backend": (
        "batch_normalization is_keras_tensor is_sparse moving_average_update "
        "normalize_batch_in_training print_tensor random_binomial random_normal_variable "
        "random_uniform_variable reset_uids to_dense"
    )
}


def batch_normalization(
    x: Any,
    mean: Any,
    var: Any,
    beta: Any,
    gamma: Any,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Tensor:
    """`(x - mean) / sqrt(var + epsilon) * gamma + beta`.

    Args:
        x: the tensor.
        mean: the mean of each channel.
        var: the variance of each.
        beta: what is added, or None.
        gamma: the factor, or None.
        axis: the dimension of the channels.
        epsilon: what keeps the divisor from 0.

    Example:
        >>> with td.Graph().as_default():
        ...     y = td.keras.backend.batch_normalization([[3.0]], [1.0], [4.0], [0.5], [2.0])
        ...     print(td.keras.backend.eval(y).round(2))
        [[2.5]]
    """
    x = convert_to_tensor(x)
    parameters: list[Any] = [
        None if part is None else convert_to_tensor(part) for part in (mean, var, beta, gamma)
    ]
    if axis not in (-1, x.shape.rank - 1):
        wide = [1] * x.shape.rank
        wide[axis] = -1
        parameters = [
            reshape(part, wide) if part is not None and part.shape.rank == 1 else part
            for part in parameters
        ]
    means, variances, offset, scale = parameters
    return plain_normalization(x, means, variances, offset, scale, epsilon)


def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3
) -> tuple[Any, Any, Any]:
    """Normalizes a batch by its own means and variances.

    Args:
        x: the tensor.
        gamma: the factor of each channel, or None.
        beta: what is added to each, or None.
        reduction_axes: the dimensions along which means are taken.
        epsilon: what keeps the divisor from 0.

    Returns:
        The normalized tensor, the means and the variances.

    Example:
        >>> with td.Graph().as_default():
        ...     y, mean, _ = td.keras.backend.normalize_batch_in_training(
        ...         td.constant([[1.0], [3.0]]), [1.0], [0.0], [0], epsilon=0.0
        ...     )
        ...     print(td.keras.backend.eval(y)[:, 0], td.keras.backend.eval(mean))
        [-1.  1.] [2.]
    """
    x = convert_to_tensor(x)
    axes = list(reduction_axes)
    mean, variance = moments(x, axes)
    wide = [1 if axis in axes else size for axis, size in enumerate(x.shape.as_list())]
    wide = [-1 if size is None else size for size in wide]
    parts: list[Any] = [
        None if part is None else reshape(part, wide) for part in (mean, variance, beta, gamma)
    ]
    means, variances, offset, scale = parts
    normalized = plain_normalization(x, means, variances, offset, scale, epsilon)
    return normalized, mean, variance


def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """Moves a variable towards a value: an average without bias towards the 0 it began at.

    Args:
        x: the variable.
        value: what it moves towards.
        momentum: the decay rate of the moving average.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.keras.backend.variable(0.0)
        ...     td.keras.backend.eval(td.keras.backend.moving_average_update(v, 4.0, 0.75))
        np.float32(4.0)
    """
    return assign_moving_average(x, value, momentum, zero_debias=True)


def print_tensor(x: Any, message: str = "", summarize: int = 3) -> Tensor:
    """The tensor, whose numbers are printed to the standard error stream when a run needs it.

    Args:
        x: the tensor.
        message: what is printed before them.
        summarize: how many numbers.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.backend.print_tensor(td.ones([2]), "ones:").shape.as_list()
        [2]
    """
    return Print(x, [x], message, summarize=summarize)


def random_binomial(shape: Any, p: float = 0.0, dtype: Any = None, seed: int | None = None) -> Any:
    """Ones with a probability, and zeros.

    Args:
        shape: the shape.
        p: how likely a 1 is.
        dtype: the dtype; by default `floatx()`.
        seed: what makes the numbers repeat.

    Example:
        >>> with td.Graph().as_default():
        ...     print(td.keras.backend.eval(td.keras.backend.random_binomial([2], p=1.0)))
        [1. 1.]
    """
    kind = dtype or floatx()
    return cast(less_equal(random_uniform(shape, dtype=kind, seed=seed), p), kind)


_documented = shared_docs(
    {
        "shape": "the shape.",
        "dtype": "the dtype; by default `floatx()`.",
        "name": "a name for the ops.",
        "seed": "what makes the numbers repeat.",
    },
)


@_documented
def random_uniform_variable(
    shape: Any,
    low: float,
    high: float,
    dtype: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of even random numbers.

    Args:
        low: the least number.
        high: what all are below.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.backend.random_uniform_variable([2, 3], 0.0, 1.0).shape.as_list()
        [2, 3]
    """
    return variable(random_uniform(shape, low, high, dtype or floatx(), seed), dtype, name)


@_documented
def random_normal_variable(
    shape: Any,
    mean: float,
    scale: float,
    dtype: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of normal random numbers.

    Args:
        mean: their mean.
        scale: their standard deviation.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.backend.random_normal_variable([2, 3], 0.0, 1.0).shape.as_list()
        [2, 3]
    """
    return variable(random_normal(shape, mean, scale, dtype or floatx(), seed), dtype, name)


def is_sparse(tensor: Any) -> bool:
    """Returns True for a SparseTensor.

    Args:
        tensor: anything.

    Example:
        >>> td.keras.backend.is_sparse(3)
        False
    """
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Any:
    """A SparseTensor as a tensor; other tensors stay as they are.

    Args:
        tensor: the tensor.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.SparseTensor([[1]], [5.0], [3])
        ...     print(td.keras.backend.eval(td.keras.backend.to_dense(x)))
        [0. 5. 0.]
    """
    return sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


def is_keras_tensor(x: Any) -> bool:
    """Returns True for outputs of Keras layers, including `td.keras.Input`.

    Args:
        x: the tensor.

    Raises:
        ValueError: it is not a tensor.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.backend.is_keras_tensor(td.keras.Input([3]))
        True
    """
    if not hasattr(x, "graph"):
        raise ValueError(f"Unexpectedly found an instance of type {type(x)}: expected a tensor")
    return call_of(x) is not None


def reset_uids() -> None:
    """Resets layer names and `get_uid`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.backend.get_uid("x"), td.keras.backend.reset_uids()
        ...     td.keras.backend.get_uid("x")
        (1, None)
        1
    """
    forget_names()
