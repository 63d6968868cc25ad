"""Batch normalization: mean 0 and deviation 1 over a batch, with averages for later."""

from __future__ import annotations

from typing import Any

from ...graph.default_scopes import name_scope
from ...ops.array.casting import cast
from ...ops.array.reshaping import reshape
from ...ops.array.shapes import size
from ...ops.initializers.plain_initializers import Ones, Zeros
from ...ops.math.select import where_v2
from ...ops.nn import normalization as nn
from ...ops.statistics.norms import moments
from .core import is_tensor
from .layer import InputSpec, Layer
from .layer_functions import apply_layer, described

public = {"td.layers": "BatchNormalization batch_normalization"}

ZEROS, ONES = Zeros(), Ones()


@described
class BatchNormalization(Layer):
    """Shifts and scales each channel to mean 0 and variance 1, then by `gamma` and `beta`.

    In training mean and variance are those of the batch, and the updates of the moving averages,
    which are taken otherwise, are in the collection `td.GraphKeys.UPDATE_OPS`. The moving variance
    of images (rank 4) is that of a sample, as the fused op of TensorFlow has it.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.layers.BatchNormalization()
        ...     y = layer(td.ones([4, 2]), training=True)
        ...     [v.op.name.rpartition("/")[2] for v in layer.variables], len(layer.updates)
        (['gamma', 'beta', 'moving_mean', 'moving_variance'], 2)
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        fused: bool | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(trainable, name, **settings)
        self.axis = axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.initializers = {
            "gamma": gamma_initializer,
            "beta": beta_initializer,
            "moving_mean": moving_mean_initializer,
            "moving_variance": moving_variance_initializer,
        }
        self.regularizers = {"gamma": gamma_regularizer, "beta": beta_regularizer}
        self.constraints = {"gamma": gamma_constraint, "beta": beta_constraint}
        self.fused = fused
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables.

        Raises:
            ValueError: rank or number of channels is not known, or there is no such dimension.
        """
        rank = input_shape.rank
        if rank is None or not -rank <= self.axis < rank:
            raise ValueError(f"axis = {self.axis} is not a dimension of shape {input_shape}")
        self.axis %= rank
        channels = input_shape.as_list()[self.axis]
        if channels is None:
            raise ValueError(f"size {self.axis} of shape {input_shape} must be known")
        self.input_spec = InputSpec(ndim=rank, axes={self.axis: channels})
        if self.fused is None:
            self.fused = rank == 4 and self.axis in (1, 3)
        if self.scale:
            self.gamma = self._variable("gamma", channels)
        if self.center:
            self.beta = self._variable("beta", channels)
        self.moving_mean = self._variable("moving_mean", channels)
        self.moving_variance = self._variable("moving_variance", channels)
        super().build(input_shape)

    def _variable(self, name: str, channels: int) -> Any:
        return self.add_variable(
            name,
            [channels],
            initializer=self.initializers[name],
            regularizer=self.regularizers.get(name),
            constraint=self.constraints.get(name),
            trainable=name in self.constraints,
        )

    def call(self, inputs: Any, *args: Any, training: Any = False, **kwargs: Any) -> Any:
        """The output; `training` is a bool, or a tensor of one."""
        training = args[0] if args else training
        del kwargs
        rank = inputs.shape.rank
        axes = [axis for axis in range(rank) if axis != self.axis]
        mean, variance = self.moving_mean.value(), self.moving_variance.value()
        if is_tensor(training) or training:
            batch_mean, batch_variance = moments(inputs, axes)
            self._update(inputs, training, batch_mean, batch_variance)
            if is_tensor(training):
                mean = where_v2(training, batch_mean, mean)
                variance = where_v2(training, batch_variance, variance)
            else:
                mean, variance = batch_mean, batch_variance
        offset, scale = self.beta, self.gamma
        vectors = [mean, variance, *(v.value() if v is not None else None for v in (offset, scale))]
        if self.axis != rank - 1:
            sizes = [-1 if axis == self.axis else 1 for axis in range(rank)]
            vectors = [None if v is None else reshape(v, sizes) for v in vectors]
        mean, variance, offset, scale = vectors
        return nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)

    def _update(self, inputs: Any, training: Any, mean: Any, variance: Any) -> None:
        if self.fused:
            dtype = variance.dtype.base_dtype
            count = cast(size(inputs) // size(variance), dtype)
            variance = variance * (count / (count - 1))
        left: Any = 1.0 - self.momentum
        if is_tensor(training):
            left = where_v2(training, left, 0.0)
        moved = [(self.moving_mean, mean), (self.moving_variance, variance)]
        updates = []
        for variable, value in moved:
            with name_scope("AssignMovingAvg"):
                updates.append(variable.assign_sub((variable.value() - value) * left))
        self.add_update(updates)


@described
def batch_normalization(
    inputs: Any,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = ZEROS,
    gamma_initializer: Any = ONES,
    moving_mean_initializer: Any = ZEROS,
    moving_variance_initializer: Any = ONES,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
    fused: bool | None = None,
) -> Any:
    """Shifts and scales each channel to mean 0 and variance 1: see `td.layers.BatchNormalization`.

    Args:
        inputs: a tensor of floats.

    Returns:
        A Tensor of the shape of `inputs`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.layers.batch_normalization([[1.0], [3.0]], training=True)
        ...     session.run(td.global_variables_initializer())
        ...     print(session.run(y).round(3).ravel())
        [-1.  1.]
    """
    return apply_layer(BatchNormalization, **locals())
