"""What layers may be told by a word: activations, initializers, regularizers, constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.surface.alike import meant as alike
from ...ops.initializers.plain_initializers import (
    Ones,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    Zeros,
)
from ...ops.initializers.scaling_initializers import (
    GlorotNormal,
    GlorotUniform,
    Identity,
    Orthogonal,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from ...ops.math.add_n import add_n
from ...ops.math.arithmetic import abs as magnitude, add, multiply, square
from ...ops.math.division import truediv
from ...ops.math.exponentials import exp, sigmoid, sqrt, tanh
from ...ops.math.reductions import reduce_sum
from ...ops.math.select import clip_by_value
from ...ops.nn.activations import elu, relu, selu, softmax, softplus, softsign

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.node import Tensor

    Function = Callable[[Any], Any]

public = {
    "td.keras.regularizers": "l1 l1_l2 l2",
    "td.keras.constraints": "max_norm non_neg unit_norm",
    "td.keras.activations": "hard_sigmoid linear",
}

_EPSILON = 1e-7


def linear(x: Any) -> Any:
    """The input as it is.

    Example:
        >>> import tensordraft as td
        >>> td.keras.activations.linear(3)
        3
    """
    return x


def hard_sigmoid(x: Any) -> Any:
    """A line of slope 0.2 through (0, 0.5), cut off at 0 and at 1.

    Args:
        x: a tensor of floats.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.activations.hard_sigmoid([-3.0, 0.0, 1.0])))
        [0.  0.5 0.7]
    """
    return clip_by_value(add(multiply(x, 0.2), 0.5), 0.0, 1.0)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> Function:
    """A regularizer: factors of the sum of absolute values and of that of squares.

    Args:
        l1: the factor of the first; 0 for none.
        l2: the factor of the second; 0 for none.

    Returns:
        A function from a variable to a loss. Unlike `td.contrib.layers.l2_regularizer`, it takes
        the squares whole and not by half.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.regularizers.l1_l2(1.0, 1.0)([3.0, -1.0]))
        np.float32(14.0)
    """

    def loss(x: Any) -> Any:
        parts = [
            multiply(reduce_sum(form(x)), factor)
            for factor, form in ((l1, magnitude), (l2, square))
            if factor
        ]
        return add_n(parts) if parts else None

    return loss


def l1(l: float = 0.01) -> Function:  # noqa: E741 - Keras's name
    """A regularizer: a factor of the sum of absolute values.

    Args:
        l: the factor.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.regularizers.l1(2.0)([3.0, -1.0]))
        np.float32(8.0)
    """
    return l1_l2(l, 0.0)


def l2(l: float = 0.01) -> Function:  # noqa: E741 - Keras's name
    """A regularizer: a factor of the sum of squares.

    Args:
        l: the factor.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.regularizers.l2(0.5)([3.0, -1.0]))
        np.float32(5.0)
    """
    return l1_l2(0.0, l)


def _norms(w: Any, axis: Any) -> Tensor:
    result: Tensor = sqrt(reduce_sum(square(w), axis=axis, keepdims=True))
    return result


def max_norm(max_value: float = 2, axis: Any = 0) -> Function:
    """A constraint: norms are at most so large.

    Args:
        max_value: how large.
        axis: the dimensions that make a norm.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.max_norm(1.0)([[3.0], [4.0]])).round(3))
        [[0.6]
         [0.8]]
    """

    def limited(w: Any) -> Any:
        norms = _norms(w, axis)
        return multiply(w, truediv(clip_by_value(norms, 0.0, max_value), add(norms, _EPSILON)))

    return limited


def non_neg() -> Function:
    """A constraint: what is below 0 becomes 0.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.non_neg()([-1.0, 2.0])))
        [0. 2.]
    """
    return relu


def unit_norm(axis: Any = 0) -> Function:
    """A constraint: norms are 1.

    Args:
        axis: the dimensions that make a norm.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.unit_norm()([[3.0], [4.0]])).round(3))
        [[0.6]
         [0.8]]
    """
    return lambda w: truediv(w, add(_norms(w, axis), _EPSILON))


_ACTIVATIONS: dict[str, Any] = {
    "elu": elu,
    "exponential": exp,
    "hard_sigmoid": hard_sigmoid,
    "linear": linear,
    "relu": relu,
    "selu": selu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "tanh": tanh,
}
_INITIALIZERS: dict[str, Any] = {
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "identity": Identity,
    "lecun_normal": lecun_normal,
    "lecun_uniform": lecun_uniform,
    "normal": lambda: RandomNormal(0.0, 0.05),
    "one": Ones,
    "ones": Ones,
    "orthogonal": Orthogonal,
    "random_normal": lambda: RandomNormal(0.0, 0.05),
    "random_uniform": lambda: RandomUniform(-0.05, 0.05),
    "truncated_normal": lambda: TruncatedNormal(0.0, 0.05),
    "uniform": lambda: RandomUniform(-0.05, 0.05),
    "zero": Zeros,
    "zeros": Zeros,
}
_REGULARIZERS = {"l1": l1, "l1_l2": l1_l2, "l2": l2}
_CONSTRAINTS = {
    "max_norm": max_norm,
    "non_neg": non_neg,
    "nonneg": non_neg,
    "unit_norm": unit_norm,
}
_MADE: dict[str, dict[str, Any]] = {
    "initializer": _INITIALIZERS,
    "regularizer": _REGULARIZERS,
    "constraint": _CONSTRAINTS,
}


def meant(argument: str, value: Any) -> Any:
    """What an argument of a layer means: a word may stand for a function.

    Args:
        argument: the name of the argument, such as "kernel_initializer".
        value: a word, or anything else, which stays as it is.

    Raises:
        ValueError: the word stands for nothing.
    """
    if not isinstance(value, str):
        return value
    kind = argument.rpartition("_")[2]
    words: Any = _ACTIVATIONS if kind == "activation" else _MADE.get(kind)
    if words is None:
        return value
    if value not in words:
        raise ValueError(f"{argument} = {value!r} is none of {sorted(words)}{alike(value, words)}")
    found = words[value]
    return found if kind == "activation" else found()
