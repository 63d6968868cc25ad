"""Constraints of Keras: what becomes of a variable after each update."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.array.stack import stack
from ...ops.indexing.gather import gather
from ...ops.math.arithmetic import add, multiply, square
from ...ops.math.division import truediv
from ...ops.math.exponentials import sqrt
from ...ops.math.reductions import reduce_sum
from ...ops.nn.activations import relu
from ...ops.statistics.clip import clip_by_value

public = {
    "td.keras.constraints": (
        "Constraint MaxNorm MinMaxNorm NonNeg RadialConstraint UnitNorm max_norm=MaxNorm "
        "min_max_norm=MinMaxNorm non_neg=NonNeg radial_constraint=RadialConstraint "
        "unit_norm=UnitNorm"
    )
}

_EPSILON = 1e-7


class Constraint:
    """A function from a variable to what it becomes; one of your own has `__call__`.

    Example:
        >>> class Half(td.keras.constraints.Constraint):
        ...     def __call__(self, w):
        ...         return w / 2
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(Half()(td.constant(3.0)))
        np.float32(1.5)
    """

    def __call__(self, w: Any) -> Any:
        """Constrained value of a variable; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not say what becomes of {w}")

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor arguments of an equal object."""
        return dict(vars(self))


def _norms(w: Any, axis: Any) -> Any:
    return sqrt(reduce_sum(square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """A constraint: norms are at most so large.

    Args:
        max_value: how large.
        axis: the dimensions that make a norm.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.max_norm(1.0)([[3.0], [4.0]])).round(3))
        [[0.6]
         [0.8]]
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        """The variable, with lower norms where they are too large."""
        norms = _norms(w, self.axis)
        limited = clip_by_value(norms, 0.0, self.max_value)
        return multiply(w, truediv(limited, add(norms, _EPSILON)))


class NonNeg(Constraint):
    """A constraint: what is below 0 becomes 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.non_neg()([-1.0, 2.0])))
        [0. 2.]
    """

    def __call__(self, w: Any) -> Any:
        """The variable, with 0 for what is below it."""
        return relu(w)


class UnitNorm(Constraint):
    """A constraint: norms are 1.

    Args:
        axis: the dimensions that make a norm.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.unit_norm()([[3.0], [4.0]])).round(3))
        [[0.6]
         [0.8]]
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The variable, divided by its norms."""
        return truediv(w, add(_norms(w, self.axis), _EPSILON))


class MinMaxNorm(Constraint):
    """A constraint: norms are between two numbers.

    Args:
        min_value: the lower one.
        max_value: the upper one.
        rate: how much of the way there is gone at each update.
        axis: the dimensions that make a norm.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     limit = td.keras.constraints.MinMaxNorm(1.0, 2.0)
        ...     print(session.run(limit([[3.0], [4.0]])).round(3))
        [[1.2]
         [1.6]]
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        """The variable, some of the way to such norms."""
        norms = _norms(w, self.axis)
        limited = clip_by_value(norms, self.min_value, self.max_value)
        wanted = self.rate * limited + (1 - self.rate) * norms
        return multiply(w, truediv(wanted, add(norms, _EPSILON)))


class RadialConstraint(Constraint):
    """A constraint: the kernel of a convolution over images is alike at each distance.

    Rings of squares around the middle hold one number each: the middle that which is up and left
    of it, or is its first, and the rings the next ones down the diagonal, as in TensorFlow.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kernel = td.reshape(td.range(9.0), [3, 3, 1, 1])
        ...     rings = session.run(td.keras.constraints.RadialConstraint()(kernel))
        ...     print(rings[:, :, 0, 0])
        [[4. 4. 4.]
         [4. 0. 4.]
         [4. 4. 4.]]
    """

    def __call__(self, w: Any) -> Any:
        """The kernel, alike at each distance.

        Raises:
            ValueError: the kernel is not of known size, square and of rank 4.
        """
        sizes = w.shape.as_list() if w.shape.rank is not None else []
        if len(sizes) != 4 or None in sizes[:2] or sizes[0] != sizes[1]:
            raise ValueError(f"w must be a square kernel over images, got shape {w.shape}")
        number = sizes[0]
        middle = (number - 1) / 2
        away = abs(np.arange(number) - middle)
        rings = np.maximum(away[:, None], away[None, :]).astype(np.int32)
        begin = number // 2
        places = np.where(rings, begin + rings - number % 2, begin - 1)
        diagonal = stack([w[place, place] for place in range(number)])
        return gather(diagonal, places.astype(np.int32))
