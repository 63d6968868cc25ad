"""Convolution layers: 1-D, 2-D and 3-D."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from .convolution_layer import ZEROS, Conv

if TYPE_CHECKING:
    from collections.abc import Callable

public = {"td.layers": "Conv1D Conv2D Conv3D conv1d conv2d conv3d"}


class Conv1D(Conv):
    """A convolution of sequences `[batch, steps, channels]`.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the window: a number.
        strides: how far it moves: a number.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of the window are.
        activation: a function from a tensor to one; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: as for `td.get_variable`.
        bias_initializer: as there.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: what is applied to the kernel after an update.
        bias_constraint: what is applied to the bias after an update.
        trainable: whether the variables are trained.
        name: the name of the layer.
        settings: further arguments of `td.layers.Layer`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv1D(5, 3, padding="same")
        ...     layer(td.ones([2, 4, 3])).shape.as_list(), layer.kernel.name
        ([2, 4, 5], 'conv1d/kernel:0')
    """

    rank = 1


def conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    activation: Callable[[Any], Any] | None = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A convolution of sequences `[batch, steps, channels]`: see `td.layers.Conv1D`.

    Args:
        inputs: a tensor of rank 3.
        filters: how many channels the output has.
        kernel_size: the size of the window: a number.
        strides: how far it moves: a number.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of the window are.
        activation: a function from a tensor to one; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: as for `td.get_variable`.
        bias_initializer: as there.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: what is applied to the kernel after an update.
        bias_constraint: what is applied to the bias after an update.
        trainable: whether the variables are trained.
        name: the name of the layer.
        reuse: whether the variables of an earlier layer of that name are taken.

    Returns:
        A Tensor of that rank.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.conv1d(td.ones([2, 4, 3]), 5, 3, padding="same").shape.as_list()
        [2, 4, 5]
    """
    layer = Conv1D(
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        dilation_rate,
        activation,
        use_bias,
        kernel_initializer,
        bias_initializer,
        kernel_regularizer,
        bias_regularizer,
        activity_regularizer,
        kernel_constraint,
        bias_constraint,
        trainable,
        name,
        _scope=name,
        _reuse=reuse,
    )
    return layer(convert_to_tensor(inputs))


class Conv2D(Conv):
    """A convolution of images `[batch, rows, columns, channels]`.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the window: a number, or 2 of them.
        strides: how far it moves: a number, or 2 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of the window are.
        activation: a function from a tensor to one; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: as for `td.get_variable`.
        bias_initializer: as there.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: what is applied to the kernel after an update.
        bias_constraint: what is applied to the bias after an update.
        trainable: whether the variables are trained.
        name: the name of the layer.
        settings: further arguments of `td.layers.Layer`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv2D(5, 3, padding="same")
        ...     layer(td.ones([2, 4, 4, 3])).shape.as_list(), layer.kernel.name
        ([2, 4, 4, 5], 'conv2d/kernel:0')
    """

    rank = 2


def conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    activation: Callable[[Any], Any] | None = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A convolution of images `[batch, rows, columns, channels]`: see `td.layers.Conv2D`.

    Args:
        inputs: a tensor of rank 4.
        filters: how many channels the output has.
        kernel_size: the size of the window: a number, or 2 of them.
        strides: how far it moves: a number, or 2 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of the window are.
        activation: a function from a tensor to one; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: as for `td.get_variable`.
        bias_initializer: as there.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: what is applied to the kernel after an update.
        bias_constraint: what is applied to the bias after an update.
        trainable: whether the variables are trained.
        name: the name of the layer.
        reuse: whether the variables of an earlier layer of that name are taken.

    Returns:
        A Tensor of that rank.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.conv2d(td.ones([2, 4, 4, 3]), 5, 3, padding="same").shape.as_list()
        [2, 4, 4, 5]
    """
    layer = Conv2D(
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        dilation_rate,
        activation,
        use_bias,
        kernel_initializer,
        bias_initializer,
        kernel_regularizer,
        bias_regularizer,
        activity_regularizer,
        kernel_constraint,
        bias_constraint,
        trainable,
        name,
        _scope=name,
        _reuse=reuse,
    )
    return layer(convert_to_tensor(inputs))


class Conv3D(Conv):
    """A convolution of volumes `[batch, planes, rows, columns, channels]`.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the window: a number, or 3 of them.
        strides: how far it moves: a number, or 3 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of the window are.
        activation: a function from a tensor to one; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: as for `td.get_variable`.
        bias_initializer: as there.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: what is applied to the kernel after an update.
        bias_constraint: what is applied to the bias after an update.
        trainable: whether the variables are trained.
        name: the name of the layer.
        settings: further arguments of `td.layers.Layer`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv3D(5, 3, padding="same")
        ...     layer(td.ones([2, 4, 4, 4, 3])).shape.as_list(), layer.kernel.name
        ([2, 4, 4, 4, 5], 'conv3d/kernel:0')
    """

    rank = 3


def conv3d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    activation: Callable[[Any], Any] | None = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A convolution of volumes `[batch, planes, rows, columns, channels]`: see `td.layers.Conv3D`.

    Args:
        inputs: a tensor of rank 5.
        filters: how many channels the output has.
        kernel_size: the size of the window: a number, or 3 of them.
        strides: how far it moves: a number, or 3 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of the window are.
        activation: a function from a tensor to one; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: as for `td.get_variable`.
        bias_initializer: as there.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: what is applied to the kernel after an update.
        bias_constraint: what is applied to the bias after an update.
        trainable: whether the variables are trained.
        name: the name of the layer.
        reuse: whether the variables of an earlier layer of that name are taken.

    Returns:
        A Tensor of that rank.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.conv3d(td.ones([2, 4, 4, 4, 3]), 5, 3, padding="same").shape.as_list()
        [2, 4, 4, 4, 5]
    """
    layer = Conv3D(
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        dilation_rate,
        activation,
        use_bias,
        kernel_initializer,
        bias_initializer,
        kernel_regularizer,
        bias_regularizer,
        activity_regularizer,
        kernel_constraint,
        bias_constraint,
        trainable,
        name,
        _scope=name,
        _reuse=reuse,
    )
    return layer(convert_to_tensor(inputs))
