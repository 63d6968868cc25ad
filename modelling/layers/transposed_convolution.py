"""Transposed convolution layers, which make images larger, and separable ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...ops.array.shapes import shape
from ...ops.array.stacking import stack
from ...ops.initializers.plain_initializers import Zeros
from ...ops.windows.depthwise_convolution import separable_conv2d as nn_separable_conv2d
from ...ops.windows.transposed_convolution import conv2d_transpose as nn_conv2d_transpose
from .convolution import Conv2D

if TYPE_CHECKING:
    from collections.abc import Callable

public = {"td.layers": "Conv2DTranspose SeparableConv2D conv2d_transpose separable_conv2d"}

ZEROS = Zeros()


class Conv2DTranspose(Conv2D):
    """A transposed convolution of images: arguments as for `td.layers.Conv2D`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv2DTranspose(5, 3, strides=2, padding="same")
        ...     layer(td.ones([2, 4, 4, 3])).shape.as_list(), layer.kernel.shape.as_list()
        ([2, 8, 8, 5], [3, 3, 5, 3])
    """

    def kernel_shape(self, channels: int) -> list[int]:
        """The shape of the kernel for inputs of so many channels."""
        return [*self.kernel_size, self.filters, channels]

    def convolved(self, inputs: Any) -> Any:
        """The transposed convolution, without bias and activation."""
        sizes, known = shape(inputs), inputs.shape.as_list()
        first = 2 if self.channels_first else 1
        space: list[Any] = []
        for place, (window, stride) in enumerate(zip(self.kernel_size, self.strides, strict=True)):
            size = known[first + place]
            rest = max(window - stride, 0) if self.padding == "VALID" else 0
            space.append((sizes[first + place] if size is None else size) * stride + rest)
        batch = sizes[0] if known[0] is None else known[0]
        channels_last = [batch, *space, self.filters]
        output = [batch, self.filters, *space] if self.channels_first else channels_last
        wanted = stack(output) if any(not isinstance(size, int) for size in output) else output
        return nn_conv2d_transpose(
            inputs, self.kernel, wanted, self.strides, self.padding, self.data_format
        )


class SeparableConv2D(Conv2D):
    """A convolution of each channel by itself, whose results are then mixed at each place.

    Args:
        filters: how many channels the output has.
        kernel_size: the size of the window: a number, or 2 of them.
        depth_multiplier: how many results each channel has before they are mixed.
        depthwise_initializer: as for `td.get_variable`.
        pointwise_initializer: as there.
        depthwise_regularizer: a function from the kernel to a loss.
        pointwise_regularizer: a function from the kernel to a loss.
        settings: further arguments of `td.layers.Conv2D`, by name.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.layers.SeparableConv2D(5, 3)
        ...     y = layer(td.ones([2, 4, 4, 3]))
        ...     y.shape.as_list(), [v.op.name.rpartition("/")[2] for v in layer.variables]
        ([2, 2, 2, 5], ['depthwise_kernel', 'pointwise_kernel', 'bias'])
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        *,
        depth_multiplier: int = 1,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        **settings: Any,
    ) -> None:
        super().__init__(filters, kernel_size, **settings)
        self.depth_multiplier = depth_multiplier
        self.depthwise = (depthwise_initializer, depthwise_regularizer)
        self.pointwise = (pointwise_initializer, pointwise_regularizer)
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and the bias."""
        channels = self.channels_of(input_shape)
        self.depthwise_kernel = self.add_variable(
            "depthwise_kernel",
            [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise[0],
            regularizer=self.depthwise[1],
        )
        self.pointwise_kernel = self.add_variable(
            "pointwise_kernel",
            [1, 1, channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise[0],
            regularizer=self.pointwise[1],
        )
        self.add_bias()
        self.built = True

    def convolved(self, inputs: Any) -> Any:
        """The convolution, without bias and activation."""
        ones = [1, 1]
        strides = [*ones, *self.strides] if self.channels_first else [1, *self.strides, 1]
        return nn_separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides,
            self.padding,
            self.dilation_rate,
            data_format=self.data_format,
        )


def conv2d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
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
    """A transposed convolution of images: arguments as for `td.layers.conv2d`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     images = td.placeholder(td.float32, [None, 4, 4, 3])
        ...     td.layers.conv2d_transpose(images, 5, 3, 2).shape.as_list()
        [None, 9, 9, 5]
    """
    layer = Conv2DTranspose(
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        1,
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


def separable_conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    depth_multiplier: int = 1,
    activation: Callable[[Any], Any] | None = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    name: str | None = None,
    reuse: bool | None = None,
    **settings: Any,
) -> Any:
    """A separable convolution of images: see `td.layers.SeparableConv2D`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.separable_conv2d(td.ones([2, 4, 4, 3]), 5, 3).shape.as_list()
        [2, 2, 2, 5]
    """
    layer = SeparableConv2D(
        filters,
        kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
        depth_multiplier=depth_multiplier,
        activation=activation,
        use_bias=use_bias,
        depthwise_initializer=depthwise_initializer,
        pointwise_initializer=pointwise_initializer,
        name=name,
        _scope=name,
        _reuse=reuse,
        **settings,
    )
    return layer(convert_to_tensor(inputs))
