"""Normalization over groups of channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....graph.convert import convert_to_tensor
from ....ops.array.reshape import reshape
from ....ops.array.shapes import shape
from ....ops.array.stack import stack
from ....ops.math.arithmetic import multiply, square, subtract
from ....ops.math.exponentials import rsqrt
from ....ops.math.reductions import reduce_mean
from ....ops.statistics.moments import moments
from ..framework.arg_scopes import add_arg_scope
from .adapting import described, finished, layer_scope
from .normalization import VectorVariables

public = {"td.contrib.layers, td.contrib.slim": "group_norm"}


@add_arg_scope
@described
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable[[Any], Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: bool | None = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """Shifts and scales each group of channels of each image to mean 0 and variance 1.

    So do Wu and He (2018).

    Args:
        inputs: a tensor of floats, of which the number of channels is known.
        groups: the number of groups of channels.
        channels_axis: the dimension of the channels.
        reduction_axes: the dimensions over which the mean is taken, besides a group.
        mean_close_to_zero: whether the variance is that of numbers whose mean is near 0: the mean
            of squares less the square of the mean.

    Raises:
        ValueError: there are no such dimensions, they overlap, or the channels do not make so many
            groups.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.contrib.layers.group_norm([[[[1.0, 3.0, 5.0, 9.0]]]], groups=2)
        ...     session.run(td.global_variables_initializer())
        ...     print(session.run(y).round(2).ravel())
        [-1.  1. -1.  1.]
    """
    with layer_scope(scope, "GroupNorm", inputs, reuse, renamed=False) as opened:
        x = convert_to_tensor(inputs)
        rank = x.shape.rank or 0
        axis = _place(channels_axis, rank, "channels_axis")
        reduced = sorted(_place(place, rank, "reduction_axes") for place in reduction_axes)
        if axis in reduced:
            raise ValueError(f"reduction_axes = {reduction_axes} must not have channels_axis")
        make = VectorVariables(x, axis, param_initializers, None, variables_collections, trainable)
        channels: int = make.sizes[0] or 0
        if not 0 < groups <= channels or channels % groups:
            raise ValueError(f"{channels} channels do not make {groups} groups of one size")
        beta = make("beta") if center else None
        gamma = make("gamma") if scale else None
        known = x.shape.as_list()
        dynamic = shape(x) if known.count(None) > 1 else None
        sizes = [_size(known, place, dynamic) for place in range(rank)]
        split = [*sizes[:axis], groups, channels // groups, *sizes[axis + 1 :]]
        over = [place + (place > axis) for place in reduced] + [axis + 1]
        grouped = reshape(x, _shape(split))
        if mean_close_to_zero:
            mean = reduce_mean(grouped, over, keepdims=True)
            squares = reduce_mean(square(grouped), over, keepdims=True)
            variance = subtract(squares, square(mean))
        else:
            mean, variance = moments(grouped, over, keep_dims=True)
        along = [1] * axis + [groups, channels // groups] + [1] * (rank - axis - 1)
        gain = rsqrt(variance + epsilon)
        if gamma is not None:
            gain = multiply(gain, reshape(gamma, along))
        offset = multiply(-mean, gain)
        if beta is not None:
            offset = offset + reshape(beta, along)
        outputs = reshape(multiply(grouped, gain) + offset, _shape(sizes))
        outputs.set_shape(x.shape)
        return finished(outputs, opened.name, outputs_collections, activation_fn)


def _place(axis: int, rank: int, argument: str) -> int:
    """A dimension, counted from the front.

    Raises:
        ValueError: there is no such dimension.
    """
    if not -rank <= axis < rank:
        raise ValueError(f"{argument} must be in [{-rank}, {rank}), got {axis}")
    return axis % rank


def _size(known: Sequence[int | None], place: int, dynamic: Any) -> Any:
    size = known[place]
    if size is not None:
        return size
    return -1 if dynamic is None else dynamic[place]


def _shape(sizes: Sequence[Any]) -> Any:
    return stack(sizes) if any(not isinstance(size, int) for size in sizes) else list(sizes)
