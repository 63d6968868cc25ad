"""Normalization by groups, by root mean square, to unit norm, and spectral."""

from __future__ import annotations

from typing import Any

from ...ops.array.reshape import reshape
from ...ops.array.shapes import shape
from ...ops.array.stack import stack
from ...ops.math.arithmetic import square
from ...ops.math.exponentials import rsqrt
from ...ops.math.reductions import reduce_mean
from ...ops.nn.normalization import batch_normalization
from ...ops.statistics.moments import moments
from ...ops.statistics.norms import l2_normalize
from .base_layer import FunctionLayer, KerasStyle
from .layer_normalization import ScaledAndShifted

public = {
    "td.keras.layers": "GroupNormalization RMSNormalization SpectralNormalization UnitNormalization"
}


class GroupNormalization(ScaledAndShifted):
    """Normalizes groups of channels of each example (Wu and He, 2018).

    Args:
        groups: how many groups there are; -1 for one for each channel.
        axis: the dimension of the channels.
        epsilon: added to the variance.
        center: whether an offset is added.
        scale: whether there is a factor for each channel.
        kwargs: further arguments of a layer, and initializers, regularizers and constraints of
            `beta` and `gamma`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.layers.GroupNormalization(2)(td.ones([2, 5, 4])).shape.as_list()
        [2, 5, 4]
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            **kwargs,
        )
        self.groups, self.axis, self.epsilon = groups, axis, epsilon

    def build(self, input_shape: Any) -> None:
        """Makes factors and offsets.

        Raises:
            ValueError: the channels are unknown, or not a multiple of the groups.
        """
        channels = input_shape.as_list()[self.axis]
        if channels is None:
            raise ValueError(f"size {self.axis} of shape {input_shape} must be known")
        if self.groups == -1:
            self.groups = channels
        if self.groups < 1 or channels % self.groups:
            raise ValueError(f"groups = {self.groups} must divide the {channels} channels")
        self.add_factors([channels])
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The normalized input."""
        rank = inputs.shape.rank
        axis = self.axis % rank
        sizes = shape(inputs)
        channels = inputs.shape.as_list()[axis]
        parts: list[Any] = [sizes[place] for place in range(rank)]
        parts[axis : axis + 1] = [self.groups, channels // self.groups]
        grouped = reshape(inputs, stack(parts))
        axes = [place for place in range(1, rank + 1) if place != axis]
        mean, variance = moments(grouped, axes, keep_dims=True)
        wide = [1] * (rank + 1)
        wide[axis : axis + 2] = [self.groups, channels // self.groups]
        made = batch_normalization(grouped, mean, variance, *self.spread(wide), self.epsilon)
        result = reshape(made, sizes)
        result.set_shape(inputs.shape)
        return result


class RMSNormalization(KerasStyle):
    """Divides by the root of the mean of squares (Zhang and Sennrich, 2019).

    Args:
        axis: the dimension, or dimensions, of the mean.
        epsilon: added to the mean.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     td.keras.layers.RMSNormalization()(td.ones([2, 4])).shape.as_list()
        [2, 4]
    """

    supports_masking = True

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon
        self.scale: Any = None

    def _axes(self, rank: int) -> list[int]:
        given = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        return sorted(axis % rank for axis in given)

    def build(self, input_shape: Any) -> None:
        """Makes the factors."""
        sizes = input_shape.as_list()
        wanted = [sizes[axis] for axis in self._axes(len(sizes))]
        self.scale = self.add_weight("scale", wanted, initializer="ones")
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The normalized input."""
        sizes = inputs.shape.as_list()
        axes = self._axes(len(sizes))
        wide = [size if place in axes else 1 for place, size in enumerate(sizes)]
        mean = reduce_mean(square(inputs), axes, keepdims=True)
        return inputs * rsqrt(mean + self.epsilon) * reshape(self.scale, wide)


class UnitNormalization(FunctionLayer):
    """Divides by the L2 norm along a dimension.

    Args:
        axis: the dimension, or dimensions.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     layer = td.keras.layers.UnitNormalization()
        ...     print(session.run(layer(td.constant([[3.0, 4.0]]))))
        [[0.6 0.8]]
    """

    supports_masking = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.function = lambda inputs: l2_normalize(inputs, axis, 1e-12)


class SpectralNormalization(KerasStyle):
    """A layer whose kernel was divided by its largest singular value in training.

    Outside of training, and here, it is the layer itself.

    Args:
        layer: the layer.
        power_iterations: how many steps of the power iteration training takes.
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.SpectralNormalization(td.keras.layers.Dense(3))
        ...     layer(td.ones([2, 4])).shape.as_list(), len(layer.weights)
        ([2, 3], 3)
    """

    def __init__(self, layer: Any, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer, self.power_iterations = layer, power_iterations
        self.vector_u: Any = None

    def stored_first(self, variables: list[Any]) -> list[Any]:
        """The kernel of the layer within, which archives have here, and the vector."""
        kernels = [w for w in self.layer.trainable_weights if w.shape.rank > 1][:1]
        return [*kernels, *variables]

    def call(self, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """The output of the layer."""
        outputs = self.layer(inputs)
        if self.vector_u is None:
            kernel = next(
                w for w in self.layer.weights if "kernel" in w.op.name or w.shape.rank > 1
            )
            last = kernel.shape.as_list()[-1]
            self.vector_u = self.add_weight("vector_u", [1, last], trainable=False)
        return outputs
