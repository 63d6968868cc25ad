"""`tensorflow.python.training.moving_averages`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...ops.initializers.initializers import Zeros
from ...ops.math.division import div, truediv as _truediv
from ...ops.variable_scopes.get_variable import get_variable
from ...ops.variable_scopes.moving_averages import ExponentialMovingAverage, assign_moving_average
from ...ops.variable_scopes.variable_scope import variable_scope

__all__ = ["ExponentialMovingAverage", "assign_moving_average", "weighted_moving_average"]


def weighted_moving_average(
    value: Any,
    decay: Any,
    weight: Any,
    truediv: bool = True,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Weighted moving average of values.

    Two variables, `value_x_weight` and `weight`, hold the averages of the products and of the
    weights; the result, which moves both on, is their quotient.

    Args:
        value: a numeric tensor.
        decay: how much of the averages is kept at an update, between 0 and 1.
        weight: a tensor of the dtype of `value` that can be multiplied with it.
        truediv: whether averages of integers are divided as real numbers.
        collections: the collections of the two variables; None is that of global variables.
        name: a name for the variable scope.
    """
    value = convert_to_tensor(value, name="value")
    weight = convert_to_tensor(weight, name="weight")
    with variable_scope(name, "WeightedMovingAvg") as scope:
        parts = [
            assign_moving_average(
                get_variable(
                    part,
                    shape=tensor.shape,
                    dtype=tensor.dtype.base_dtype,
                    initializer=Zeros(),
                    trainable=False,
                    collections=collections,
                ),
                addend,
                decay,
                zero_debias=False,
            )
            for part, tensor, addend in (
                ("value_x_weight", value, value * weight),
                ("weight", weight, weight),
            )
        ]
        divide = _truediv if truediv else div
        return divide(parts[0], parts[1], name=scope.name)
