"""Activation layers with parameters: `PReLU` and `ThresholdedReLU`."""

from __future__ import annotations

from typing import Any

from ...ops.array.cast import cast
from ...ops.math.arithmetic import minimum
from ...ops.nn.activations import relu
from ...shape_inference.tensor_shape import as_shape
from ...training.layers.activations import resolve_function
from .base_layer import FunctionLayer, KerasStyle

public = {
    "td.keras.layers": "PReLU ThresholdedReLU",
}


class ThresholdedReLU(FunctionLayer):
    """`x` where it is greater than a threshold, else 0.

    Args:
        theta: the threshold.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.ThresholdedReLU()(td.constant([0.5, 2.0]))))
        [0. 2.]
    """

    supports_masking = True

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: inputs * cast(inputs > theta, inputs.dtype)


class PReLU(KerasStyle):
    """`x` where it is positive, else `x` times a slope that is learned.

    Args:
        alpha_initializer: what the slopes begin with.
        alpha_regularizer: a function from the slopes to a loss.
        alpha_constraint: what is applied to the slopes after an update.
        shared_axes: the dimensions, counted from 1, along which there is one slope.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.PReLU(shared_axes=[1, 2])
        ...     layer(td.ones([2, 5, 5, 3])).shape.as_list(), layer.weights[0].shape.as_list()
        ([2, 5, 5, 3], [1, 1, 3])
    """

    supports_masking = True

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.settings = {
            "initializer": resolve_function("alpha_initializer", alpha_initializer),
            "regularizer": resolve_function("alpha_regularizer", alpha_regularizer),
            "constraint": resolve_function("alpha_constraint", alpha_constraint),
        }
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else shared_axes or []
        self.alpha: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the slopes."""
        sizes = as_shape(input_shape).as_list()
        for axis in self.shared_axes:
            sizes[axis] = 1
        if None in sizes[1:]:
            raise ValueError(f"sizes of shape {input_shape} must be known, or in shared_axes")
        self.alpha = self.add_variable("alpha", sizes[1:], **self.settings)
        super().build(input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Positive values, and negative ones times `alpha`."""
        return relu(inputs) + self.alpha * minimum(inputs, 0.0)
