"""Regularizers of Keras: functions from a variable to a loss, configured by their factors."""

from __future__ import annotations

from typing import Any

from ...ops.math.add_n import add_n
from ...ops.math.arithmetic import abs as magnitude, multiply, square
from ...ops.math.reductions import reduce_sum

public = {"td.keras.regularizers": "L1L2 Regularizer l1 l1_l2 l2"}


class Regularizer:
    """A function from a variable to a loss; one of your own has `__call__` and `get_config`.

    Example:
        >>> class Drift(td.keras.regularizers.Regularizer):
        ...     def __call__(self, x):
        ...         return td.reduce_sum(x)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(Drift()(td.constant([3.0, -1.0])))
        np.float32(2.0)
    """

    def __call__(self, x: Any) -> Any:
        """The loss of a variable; to be overridden."""
        return 0.0

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor arguments of an equal object."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates a regularizer from the result of `get_config`."""
        return cls(**config)


class L1L2(Regularizer):
    """Factors of the sum of absolute values and of that of squares.

    Args:
        l1: the factor of the first; 0 for none.
        l2: the factor of the second; 0 for none.

    Example:
        >>> td.keras.regularizers.L1L2(l2=0.5).get_config()
        {'l1': 0.0, 'l2': 0.5}
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x: Any) -> Any:
        """The loss of a variable; None where both factors are 0."""
        parts = [
            multiply(reduce_sum(form(x)), factor)
            for factor, form in ((self.l1, magnitude), (self.l2, square))
            if factor
        ]
        return add_n(parts) if parts else None

    def get_config(self) -> dict[str, Any]:
        """The factors."""
        return {"l1": self.l1, "l2": self.l2}


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """A regularizer: factors of the sum of absolute values and of that of squares.

    Args:
        l1: the factor of the first; 0 for none.
        l2: the factor of the second; 0 for none.

    Returns:
        A function from a variable to a loss. Unlike `td.contrib.layers.l2_regularizer`, it takes
        the squares whole and not by half.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.regularizers.l1_l2(1.0, 1.0)([3.0, -1.0]))
        np.float32(14.0)
    """
    return L1L2(l1, l2)


def l1(l: float = 0.01) -> L1L2:  # noqa: E741 - Keras's name
    """A regularizer: a factor of the sum of absolute values.

    Args:
        l: the factor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.regularizers.l1(2.0)([3.0, -1.0]))
        np.float32(8.0)
    """
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741 - Keras's name
    """A regularizer: a factor of the sum of squares.

    Args:
        l: the factor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.regularizers.l2(0.5)([3.0, -1.0]))
        np.float32(5.0)
    """
    return L1L2(l2=l)
