"""Noise and dropout layers, activity regularization, and parametric activations."""

from __future__ import annotations

from typing import Any

from ...ops.array.cast import cast
from ...ops.array.shapes import shape
from ...ops.array.stack import stack
from ...ops.math.arithmetic import minimum
from ...ops.nn.activations import relu
from ...ops.random.uniform_and_normal import random_normal, random_uniform
from ...shape_inference.tensor_shape import as_shape
from ...training.layers.named_functions import resolve_function
from ...training.layers.named_regularizers import l1_l2
from ..backend.backend_functions import in_train_phase
from .base_layer import FunctionLayer, KerasStyle
from .core_layers import Dropout

public = {
    "td.keras.layers": (
        "ActivityRegularization AlphaDropout GaussianDropout GaussianNoise PReLU SpatialDropout1D "
        "SpatialDropout2D SpatialDropout3D "
        "ThresholdedReLU"
    )
}


class GaussianNoise(KerasStyle):
    """In training, adds random numbers.

    Args:
        stddev: their standard deviation.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.GaussianNoise(1.0)(td.ones([3]))))
        [1. 1. 1.]
    """

    supports_masking = True

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """The input, with noise in training."""

        def noisy() -> Any:
            return inputs + random_normal(shape(inputs), 0.0, self.stddev, inputs.dtype)

        return in_train_phase(noisy, inputs, training)


class GaussianDropout(KerasStyle):
    """In training, multiplies by random numbers around 1, as wide as dropout is.

    Args:
        rate: which part dropout would drop.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.GaussianDropout(0.5)(td.ones([3]))))
        [1. 1. 1.]
    """

    supports_masking = True

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate < 1:
            raise ValueError(f"rate must be in [0, 1), got {rate}")
        self.rate = rate

    def call(self, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """The input, multiplied in training."""
        wide = (self.rate / (1 - self.rate)) ** 0.5

        def changed() -> Any:
            return inputs * random_normal(shape(inputs), 1.0, wide, inputs.dtype)

        return in_train_phase(changed, inputs, training)


class AlphaDropout(GaussianDropout):
    """In training, drops elements of what `selu` gives, and keeps mean and variance.

    Args:
        rate: which part is dropped.
        noise_shape: a shape of what is drawn, where dimensions are dropped whole.
        seed: of the random numbers.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.AlphaDropout(0.5)(td.ones([3]))))
        [1. 1. 1.]
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(rate, **kwargs)
        self.noise_shape, self.seed = noise_shape, seed

    def call(self, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """The input, without some of its elements in training."""
        rate, low = self.rate, -1.7580993408473766  # what selu gives at the far left
        scale = ((1 - rate) * (1 + rate * low**2)) ** -0.5

        def changed() -> Any:
            sizes = shape(inputs) if self.noise_shape is None else self.noise_shape
            drawn = random_uniform(sizes, seed=self.seed, dtype=inputs.dtype)
            kept = cast(drawn >= rate, inputs.dtype)
            return scale * (inputs * kept + low * (1 - kept)) - scale * low * rate

        return in_train_phase(changed, inputs, training) if rate else inputs


class SpatialDropout1D(Dropout):
    """In training, drops whole channels of sequences.

    Args:
        rate: which part.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.layers.SpatialDropout1D(0.5)(td.ones([2, 5, 3])).shape.as_list()
        [2, 5, 3]
    """

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The input, without some of its channels in training."""
        sizes = shape(inputs)
        ones = [1] * (inputs.shape.rank - 2)
        self.noise_shape = stack([sizes[0], *ones, sizes[-1]])
        return super().call(inputs, *args, **kwargs)


class SpatialDropout2D(SpatialDropout1D):
    """In training, drops whole channels of images.

    Args:
        rate: which part.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.layers.SpatialDropout2D(0.5)(td.ones([2, 5, 5, 3])).shape.as_list()
        [2, 5, 5, 3]
    """


class SpatialDropout3D(SpatialDropout1D):
    """In training, drops whole channels of volumes.

    Args:
        rate: which part.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.layers.SpatialDropout3D(0.5)(td.ones([2, 4, 4, 4, 3])).shape.as_list()
        [2, 4, 4, 4, 3]
    """


class ActivityRegularization(KerasStyle):
    """Leaves its input as it is, and adds a loss of it.

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.ActivityRegularization(l2=0.1)
        ...     layer(td.ones([2, 3])).shape.as_list(), len(layer.losses)
        ([2, 3], 1)
    """

    supports_masking = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=l1_l2(l1, l2), **kwargs)


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
