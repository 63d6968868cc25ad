"""Parts of layers that are made of other ops: affine maps, dropout."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.broadcast import broadcast_to
from ..array.concat import concat
from ..array.constants import zeros_like
from ..array.reshape import expand_dims, squeeze
from ..array.shapes import shape
from ..common.call_forms import renamed
from ..conv.convolution import conv2d
from ..linalg.matmul import matmul
from ..math.arithmetic import abs as size_of, add, multiply
from ..math.comparison import greater_equal
from ..math.exponentials import exp, log1p
from ..math.where import where
from ..random.uniform_and_normal import random_uniform
from .activations import bias_add, relu

public = {
    "td.nn": (
        "atrous_conv2d conv1d crelu dropout relu_layer weighted_cross_entropy_with_logits xw_plus_b"
    ),
}


def xw_plus_b(x: TensorLike, weights: TensorLike, biases: Any, name: str | None = None) -> Tensor:
    """`x @ weights + biases`.

    Args:
        x: a matrix.
        weights: a matrix of the same dtype.
        biases: a vector.
        name: a name for the op that gives the result.

    Returns:
        A matrix.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.xw_plus_b([[1.0, 2.0]], [[3.0], [4.0]], [0.5])))
        [[11.5]]
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(matmul(x, weights), biases, name=scope)


def relu_layer(x: TensorLike, weights: TensorLike, biases: Any, name: str | None = None) -> Tensor:
    """`relu(x @ weights + biases)`: arguments as for `td.nn.xw_plus_b`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.relu_layer([[1.0]], [[2.0, -2.0]], [1.0, 1.0])))
        [[3. 0.]]
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return relu(bias_add(matmul(x, weights), biases), name=scope)


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Tensor:
    """`relu(features)` and `relu(-features)`, one after the other.

    Args:
        features: a tensor of floats.
        name: a name for the op that gives the result.
        axis: the axis along which they are joined.

    Returns:
        A Tensor twice as long along `axis`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.crelu([2.0, -3.0])))
        [2. 0. 0. 3.]
    """
    with name_scope(name, "CRelu", [features]) as scope:
        x = convert_to_tensor(features, name="features")
        return relu(concat([x, -x], axis), name=scope)


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Sets random elements to 0, and scales the others up so that the mean is expected to stay.

    Args:
        x: a tensor of floats.
        keep_prob: how likely an element is to stay: more than 0, and at most 1.
        noise_shape: the shape of what is drawn, which is broadcast to `x`; by default that of `x`.
        seed: makes the draws the same in every session: see `td.set_random_seed`.
        name: a name for the scope of the ops.
        rate: how likely an element is to be set to 0, in the place of `keep_prob`.

    Returns:
        A Tensor of the shape and dtype of `x`; with `keep_prob` known to be 1, `x` itself.

    Raises:
        ValueError: a probability is out of range, or both or none are given.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kept = session.run(td.nn.dropout(td.ones([1000]), 0.5))
        ...     sorted(set(kept.tolist()))
        [0.0, 2.0]
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError(f"one of keep_prob and rate is needed, got {keep_prob} and {rate}")
    with name_scope(name, "dropout", [x]):
        tensor = convert_to_tensor(x, name="x")
        dtype = tensor.dtype.base_dtype
        if not dtype.is_floating:
            raise ValueError(f"x must be of a floating dtype, got {dtype.name}")
        if rate is None:
            keep = convert_to_tensor(keep_prob, dtype, name="keep_prob")
        else:
            keep = 1 - convert_to_tensor(rate, dtype, name="rate")
        known = constant_value(keep)
        if known is not None and known.ndim == 0:
            if not 0 < known <= 1:
                raise ValueError(f"keep_prob must be more than 0, and at most 1, got {known}")
            if known == 1:
                return tensor
        drawn = random_uniform(
            shape(tensor) if noise_shape is None else noise_shape, dtype=dtype, seed=seed
        )
        stays = greater_equal(drawn, 1 - keep)
        if noise_shape is not None:
            stays = broadcast_to(stays, shape(tensor))
        return where(stays, tensor / keep, zeros_like(tensor))


def weighted_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> Tensor:
    """The cross entropy of `sigmoid(logits)` and labels, where what is true counts more or less.

    Args:
        labels: a tensor of floats: how likely each is to be true.
        logits: a tensor of the same dtype and shape.
        pos_weight: how much what is true counts.
        name: a name for the scope of the ops.
        targets: the older name of `labels`.

    Returns:
        A Tensor of the shape of `logits`.

    Raises:
        ValueError: an argument is missing.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], 2.0)
        ...     print(session.run(loss))
        [1.3862944 0.6931472]
    """
    labels = targets if labels is None else labels
    if labels is None or logits is None or pos_weight is None:
        raise ValueError("labels, logits and pos_weight are all needed")
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        x = convert_to_tensor(logits, name="logits")
        z = convert_to_tensor(labels, x.dtype.base_dtype, name="labels")
        weight = 1 + (convert_to_tensor(pos_weight, x.dtype.base_dtype) - 1) * z
        soft = log1p(exp(-size_of(x))) + relu(-x)
        return add((1 - z) * x, multiply(weight, soft), name=scope)


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """A convolution of images with a window whose elements are apart from each other.

    Args:
        value: images `[batch, rows, columns, channels]`.
        filters: `[rows, columns, channels, out_channels]`.
        rate: how far apart the elements of the window are: at least 1.
        padding: "VALID" or "SAME", as for `td.nn.conv2d`.
        name: a name for the op.

    Returns:
        A Tensor `[batch, out_rows, out_columns, out_channels]`.

    Raises:
        TypeError, ValueError: as for `td.nn.conv2d`.

    Example:
        >>> image = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     corners = td.nn.atrous_conv2d(image, np.ones((2, 2, 1, 1), "f"), 2, "VALID")
        ...     print(session.run(corners).ravel())
        [16.]
    """
    return conv2d(value, filters, 1, padding, dilations=rate, name=name or "convolution")


@renamed(input="value")
def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: int | None = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """A convolution of sequences: what a window sees at each place, multiplied with each filter.

    Args:
        value: sequences `[batch, width, channels]` of floats.
        filters: `[width, channels, out_channels]`, of the same dtype.
        stride: how far the window moves from one place to the next; by default 1.
        padding: "VALID" or "SAME", as for `td.nn.conv2d`.
        use_cudnn_on_gpu: accepted for TensorFlow's sake.
        data_format: "NWC" (or "NHWC"), or "NCW" (or "NCHW") where the channels come before the
            width.
        name: a name for the scope of the ops.
        input: another name of `value`.

    Returns:
        A Tensor `[batch, out_width, out_channels]`, or `[batch, out_channels, out_width]`.

    Raises:
        TypeError, ValueError: as for `td.nn.conv2d`; the data format is none of these.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     sums = td.nn.conv1d([[[1.0], [2.0], [4.0]]], [[[1.0]], [[1.0]]], 1, "VALID")
        ...     print(session.run(sums).ravel())
        [3. 6.]
    """
    formats = {None: "NHWC", "NWC": "NHWC", "NHWC": "NHWC", "NCW": "NCHW", "NCHW": "NCHW"}
    if data_format not in formats:
        raise ValueError(f"data_format must be NWC or NCW, got {data_format!r}")
    with name_scope(name, "conv1d"):
        axis = 1 if formats[data_format] == "NHWC" else 2
        images = expand_dims(value, axis)
        strides = [1, 1 if stride is None else stride]
        rows = expand_dims(filters, 0)
        result = conv2d(images, rows, strides, padding, data_format=formats[data_format])
        return squeeze(result, [axis])
