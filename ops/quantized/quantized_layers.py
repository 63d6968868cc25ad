"""Public functions of quantized layers in `td.nn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ..common.public_function import same_arguments
from ..common.shared_docs import shared_docs
from .quantized_nn import (
    QUANTIZED_AVG_POOL,
    QUANTIZED_CONV_2D,
    QUANTIZED_MAX_POOL,
    QUANTIZED_RELU_X,
)

public = {"td.nn": "quantized_avg_pool quantized_conv2d quantized_max_pool quantized_relu_x"}


def quantized_conv2d(
    input: TensorLike,
    filter: TensorLike,
    min_input: Any,
    max_input: Any,
    min_filter: Any,
    max_filter: Any,
    strides: Sequence[int],
    padding: str,
    out_type: Any = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Any:
    """A 2-D convolution of quantized images with quantized filters.

    Args:
        input: the images, `[batch, height, width, channels]`, of quint8 or another quantized dtype.
        filter: the filters, `[height, width, channels, filters]`, of a quantized dtype.
        min_input: the number that the lowest level of `input` stands for; a float32 scalar.
        max_input: the number that its highest level stands for.
        min_filter: as `min_input`, of `filter`.
        max_filter: as `max_input`, of `filter`.
        strides: the step along each of the four dimensions.
        padding: "SAME" or "VALID".
        out_type: the dtype of the sums; by default qint32.
        dilations: the distance between taps, along each of the four dimensions.
        name: a name for the op.

    Returns:
        A namedtuple of Tensors: `output`, and `min_output` and `max_output`, its range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.quantize_v2(np.ones([1, 2, 2, 1]), 0.0, 2.55, td.quint8)[0]
        ...     taps = td.quantize_v2(np.ones([2, 2, 1, 1]), 0.0, 2.55, td.quint8)[0]
        ...     made = td.nn.quantized_conv2d(
        ...         image, taps, 0.0, 2.55, 0.0, 2.55, [1, 1, 1, 1], "VALID"
        ...     )
        ...     session.run(made.output).ravel().tolist()
        [40000]
    """
    return QUANTIZED_CONV_2D(
        input,
        filter,
        min_input,
        max_input,
        min_filter,
        max_filter,
        out_type=out_type,
        strides=strides,
        padding=padding,
        dilations=dilations,
        name=name,
    )


def quantized_relu_x(
    features: TensorLike,
    max_value: Any,
    min_features: Any,
    max_features: Any,
    out_type: Any = None,
    name: str | None = None,
) -> Any:
    """Quantized ReLU that clips at a maximum.

    TensorFlow defines the op, but has no kernel for it.

    Args:
        features: a tensor of a quantized dtype.
        max_value: the greatest number that is left; a float32 scalar.
        min_features: the number that the lowest level stands for; a float32 scalar.
        max_features: the number that the highest level stands for.
        out_type: the dtype of the result; by default quint8.
        name: a name for the op.

    Returns:
        A namedtuple of Tensors: `activations`, and `min_activations` and `max_activations`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     levels = td.quantize_v2([1.0, 5.0], 0.0, 12.75, td.quint8)[0]
        ...     kept = td.nn.quantized_relu_x(levels, 3.0, 0.0, 12.75)
        ...     session.run(kept.activations).astype(int).tolist()
        [20, 60]
    """
    return QUANTIZED_RELU_X(
        features, max_value, min_features, max_features, out_type=out_type, name=name
    )


_documented = shared_docs(
    {
        "name": "a name for the op.",
    },
    returns=("A namedtuple of Tensors: `output`, and `min_output` and `max_output`, its range."),
)


@_documented
def quantized_avg_pool(
    input: TensorLike,
    min_input: Any,
    max_input: Any,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """Average pooling of quantized images.

    Args:
        input: quantized images, `[batch, height, width, channels]`.
        min_input: the number that the lowest level stands for; a float32 scalar.
        max_input: the number that the highest level stands for.
        ksize: the size of the window along each of the four dimensions.
        strides: the step along each of them.
        padding: "SAME" or "VALID".

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     levels = td.quantize_v2([[[[0.0], [2.0]]]], 0.0, 2.55, td.quint8)[0]
        ...     pool = td.nn.quantized_avg_pool(
        ...         levels, 0.0, 2.55, [1, 1, 2, 1], [1, 1, 2, 1], "VALID"
        ...     )
        ...     session.run(pool.output).astype(int).ravel().tolist()
        [100]
    """
    return QUANTIZED_AVG_POOL(
        input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name
    )


@_documented
@same_arguments(quantized_avg_pool)
def quantized_max_pool(*arguments: Any) -> Any:
    """Max pooling of quantized images; otherwise as `td.nn.quantized_avg_pool`.

    Args:
        input: as there.
        min_input: as there.
        max_input: as there.
        ksize: as there.
        strides: as there.
        padding: as there.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     levels = td.quantize_v2([[[[0.0], [2.0]]]], 0.0, 2.55, td.quint8)[0]
        ...     pool = td.nn.quantized_max_pool(
        ...         levels, 0.0, 2.55, [1, 1, 2, 1], [1, 1, 2, 1], "VALID"
        ...     )
        ...     session.run(pool.output).astype(int).ravel().tolist()
        [200]
    """
    input, min_input, max_input, ksize, strides, padding, name = arguments
    return QUANTIZED_MAX_POOL(
        input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name
    )
