"""Normalization over a batch, over an example, and over each image of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import add_to_collections, control_dependencies
from ....graph.scopes.collections import GraphKeys
from ....ops.array.cast import cast
from ....ops.array.identity import identity
from ....ops.array.reshape import reshape
from ....ops.array.shapes import size
from ....ops.initializers.initializers import Ones, Zeros
from ....ops.math.where import where_v2
from ....ops.nn.normalization import batch_normalization
from ....ops.statistics.moments import moments, weighted_moments
from ....ops.variable_scopes.moving_averages import assign_moving_average
from ....protos.dtypes import float16
from ....training.layers.batch_normalization import BatchNormalization
from ....training.layers.core import is_tensor, scalar_setting
from ..framework.arg_scopes import add_arg_scope
from ..framework.model_variables import model_variable
from .adapting import channels_form, described, finished, layer_scope
from .outputs import get_variable_collections

public = {
    "td.contrib.layers, td.contrib.slim": "batch_norm instance_norm layer_norm",
}

_FIRST = {"beta": Zeros(), "gamma": Ones(), "moving_mean": Zeros(), "moving_variance": Ones()}
_TRAINED = ("beta", "gamma")


@add_arg_scope
@described
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[[Any], Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    param_regularizers: Mapping[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: bool | None = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Mapping[str, Any] | None = None,
    renorm_decay: float = 0.99,
    adjustment: Callable[..., Any] | None = None,
) -> Any:
    """Shifts and scales each channel to mean 0 and variance 1, then by `gamma` and `beta`.

    Args:
        inputs: a tensor of floats, of rank 2 or more.
        decay: how much of a moving average stays at an update.
        updates_collections: the collections of the updates of the moving averages, which training
            has to run; None to run them with the layer.
        batch_weights: how much each example of the batch counts.
        fused: as for `td.layers.batch_normalization`, for rank 2, too.
        zero_debias_moving_mean: as for `td.train.ExponentialMovingAverage`, for the mean.
        renorm: as for `td.layers.batch_normalization`.
        renorm_clipping: as there.
        renorm_decay: as `renorm_momentum` there.
        adjustment: as there.

    Raises:
        ValueError: rank or number of channels is not known.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.contrib.layers.batch_norm([[1.0], [3.0]])
        ...     session.run(td.global_variables_initializer())
        ...     print(session.run(y).round(2).ravel(), len(td.get_collection("update_ops")))
        [-1.  1.] 2
    """
    form = channels_form(data_format, ("NHWC", "NCHW"))
    with layer_scope(scope, "BatchNorm", inputs, reuse, renamed=False) as opened:
        x = convert_to_tensor(inputs)
        rank = x.shape.rank
        # Of the op that TensorFlow fuses, the moving variance is that of a sample.
        of_sample = fused is not False and rank in (2, 4) and batch_weights is None and not renorm
        listed = updates_collections == GraphKeys.UPDATE_OPS and batch_weights is None
        if listed and not zero_debias_moving_mean and not (of_sample and rank == 2):
            first = {**_FIRST, **(param_initializers or {})}
            regularizers = dict(param_regularizers or {})
            layer = BatchNormalization(
                axis=1 if form == "channels_first" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                **{f"{name}_initializer": made for name, made in first.items()},
                **{f"{name}_regularizer": regularizers.get(name) for name in _TRAINED},
                trainable=trainable,
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                fused=None if of_sample else False,
                name=opened.name,
                _scope=opened,
                _reuse=reuse,
            )
            outputs = layer(x, training=is_training)
            for name in _FIRST:
                wanted = get_variable_collections(variables_collections, name)
                if wanted and getattr(layer, name) is not None:
                    add_to_collections(wanted, getattr(layer, name))
        elif renorm or adjustment is not None:
            raise ValueError("renorm and adjustment need updates_collections = 'update_ops'")
        else:
            axis = 1 if form == "channels_first" else (rank or 0) - 1
            make = VectorVariables(
                x, axis, param_initializers, param_regularizers, variables_collections, trainable
            )
            beta = make("beta") if center else None
            gamma = make("gamma") if scale else None
            averages = make("moving_mean"), make("moving_variance")
            mean, variance = _counted(
                x,
                axis,
                averages,
                is_training,
                decay,
                batch_weights,
                of_sample,
                zero_debias_moving_mean,
                updates_collections,
            )
            vectors = [mean, variance, beta, gamma]
            mean, variance, offset, factor = _along(vectors, axis, rank or 0)
            outputs = batch_normalization(x, mean, variance, offset, factor, epsilon)
        return finished(outputs, opened.name, outputs_collections, activation_fn)


class VectorVariables:
    """Makes variables with an element for each channel."""

    def __init__(
        self,
        x: Any,
        axis: int,
        initializers: Mapping[str, Any] | None,
        regularizers: Mapping[str, Any] | None,
        collections: Any,
        trainable: bool,
        sizes: list[int | None] | None = None,
    ) -> None:
        if x.shape.rank is None or x.shape.rank < 2:
            raise ValueError(f"inputs must have rank 2 or more, got shape {x.shape}")
        self.sizes = [x.shape.as_list()[axis]] if sizes is None else sizes
        if None in self.sizes:
            raise ValueError(f"the number of channels must be known, got shape {x.shape}")
        self.dtype = x.dtype.base_dtype
        self.initializers = {**_FIRST, **(initializers or {})}
        self.regularizers = regularizers or {}
        self.collections = collections
        self.trainable = trainable

    def __call__(self, name: str) -> Any:
        """The variable of a name: `beta`, `gamma`, `moving_mean` or `moving_variance`."""
        return model_variable(
            name,
            shape=self.sizes,
            dtype=self.dtype,
            initializer=self.initializers[name],
            regularizer=self.regularizers.get(name),
            trainable=self.trainable and name in _TRAINED,
            collections=get_variable_collections(self.collections, name),
        )


def _along(vectors: list[Any], axis: int, rank: int) -> list[Any]:
    """Vectors in a shape that is broadcast along all axes but one."""
    if axis == rank - 1:
        return vectors
    sizes = [-1 if place == axis else 1 for place in range(rank)]
    return [None if vector is None else reshape(vector, sizes) for vector in vectors]


def _counted(
    x: Any,
    axis: int,
    averages: tuple[Any, Any],
    is_training: Any,
    decay: float,
    batch_weights: Any,
    of_sample: bool,
    zero_debias: bool,
    updates_collections: Any,
) -> tuple[Any, Any]:
    """Batch statistics in training, which update the moving averages; otherwise the averages."""
    kept = averages[0].value(), averages[1].value()
    fed, is_training = is_tensor(is_training), scalar_setting(is_training)
    if not fed and not is_training:
        return kept
    rank = x.shape.rank
    axes = [place for place in range(rank) if place != axis]
    if batch_weights is None:
        mean, variance = moments(x, axes)
    else:
        weights = reshape(batch_weights, [-1] + [1] * (rank - 1))
        mean, variance = weighted_moments(x, axes, weights)
    moved = variance
    if of_sample:
        count = cast(size(x) // size(variance), variance.dtype.base_dtype)
        moved = variance * (count / (count - 1))
    if fed and zero_debias:
        raise ValueError("zero_debias_moving_mean needs an is_training that is not a tensor")
    stays: Any = where_v2(is_training, decay, 1.0) if fed else decay
    updates = [
        assign_moving_average(averages[0], mean, stays, zero_debias),
        assign_moving_average(averages[1], moved, stays, False),
    ]
    if updates_collections is None:
        with control_dependencies(updates):
            mean, variance = identity(mean), identity(variance)
    else:
        for update in updates:
            add_to_collections(updates_collections, update)
    if not fed:
        return mean, variance
    return where_v2(is_training, mean, kept[0]), where_v2(is_training, variance, kept[1])


@add_arg_scope
@described
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable[[Any], Any] | None = None,
    reuse: bool | None = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Shifts and scales each example to mean 0 and variance 1 (Ba, Kiros and Hinton, 2016).

    Args:
        inputs: a tensor of floats, of rank 2 or more.
        begin_norm_axis: the first dimension over which the mean is taken.
        begin_params_axis: the first dimension that `beta` and `gamma` have.

    Raises:
        ValueError: there are no such dimensions, or their sizes are not known.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.contrib.layers.layer_norm([[1.0, 3.0], [2.0, 6.0]])
        ...     session.run(td.global_variables_initializer())
        ...     print(session.run(y).round(2))
        [[-1.  1.]
         [-1.  1.]]
    """
    with layer_scope(scope, "LayerNorm", inputs, reuse, renamed=False) as opened:
        x = convert_to_tensor(inputs)
        rank = x.shape.rank
        first = begin_norm_axis + (rank or 0) if begin_norm_axis < 0 else begin_norm_axis
        if rank is None or first >= rank or not -rank <= begin_params_axis < rank:
            raise ValueError(
                f"begin_norm_axis = {begin_norm_axis} and begin_params_axis = {begin_params_axis} "
                f"do not fit inputs of shape {x.shape}"
            )
        sizes = x.shape.as_list()[begin_params_axis:]
        make = VectorVariables(x, -1, None, None, variables_collections, trainable, sizes)
        beta = make("beta") if center else None
        gamma = make("gamma") if scale else None
        mean, variance = moments(x, [*range(first, rank)], keep_dims=True)
        epsilon = 1e-3 if x.dtype.base_dtype is float16 else 1e-12
        outputs = batch_normalization(x, mean, variance, beta, gamma, epsilon)
        return finished(outputs, opened.name, outputs_collections, activation_fn)


@add_arg_scope
@described
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[[Any], Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: bool | None = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Shifts and scales each channel of each image to mean 0 and variance 1.

    Args:
        inputs: a tensor of floats, of rank 3 or more.

    Raises:
        ValueError: rank or number of channels is not known.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.contrib.layers.instance_norm([[[1.0], [3.0]], [[2.0], [6.0]]])
        ...     session.run(td.global_variables_initializer())
        ...     print(session.run(y).round(2).reshape(2, 2))
        [[-1.  1.]
         [-1.  1.]]
    """
    first = channels_form(data_format, ("NHWC", "NCHW")) == "channels_first"
    with layer_scope(scope, "InstanceNorm", inputs, reuse, renamed=False) as opened:
        x = convert_to_tensor(inputs)
        rank = x.shape.rank or 0
        axis = 1 if first else rank - 1
        make = VectorVariables(x, axis, param_initializers, None, variables_collections, trainable)
        beta = make("beta") if center else None
        gamma = make("gamma") if scale else None
        offset, factor = _along([beta, gamma], axis, rank)
        axes = [place for place in range(1, rank) if place != axis]
        mean, variance = moments(x, axes, keep_dims=True)
        outputs = batch_normalization(x, mean, variance, offset, factor, epsilon)
        return finished(outputs, opened.name, outputs_collections, activation_fn)
