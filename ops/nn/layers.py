"""Convolutions of sequences, and of images with a dilated window."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.squeezing import expand_dims, squeeze
from ..common.call_forms import renamed
from ..conv.convolution import conv2d

public = {"td.nn": "atrous_conv2d conv1d"}


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
