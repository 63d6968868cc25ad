"""Transposed convolution layers, which make images larger, and separable ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ops.array.shapes import shape
from ...ops.array.stacking import stack
from ...ops.windows.depthwise_convolution import separable_conv2d as nn_separable_conv2d
from ...ops.windows.transposed_convolution import conv2d_transpose as nn_conv2d_transpose
from .convolution import Conv2D
from .kernel_layer import ZEROS
from .layer_functions import apply_layer, described

if TYPE_CHECKING:
    from collections.abc import Callable

public = {"td.layers": "Conv2DTranspose SeparableConv2D conv2d_transpose separable_conv2d"}


@described
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


@described
class SeparableConv2D(Conv2D):
    """A convolution of each channel by itself, whose results are then mixed at each place.

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
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        **settings: Any,
    ) -> None:
        super().__init__(filters, kernel_size, **settings)
        self.depth_multiplier = depth_multiplier
        self.depthwise = {
            "initializer": depthwise_initializer,
            "regularizer": depthwise_regularizer,
            "constraint": depthwise_constraint,
        }
        self.pointwise = {
            "initializer": pointwise_initializer,
            "regularizer": pointwise_regularizer,
            "constraint": pointwise_constraint,
        }
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and the bias."""
        channels = self.channels_of(input_shape)
        self.depthwise_kernel = self.add_variable(
            "depthwise_kernel",
            [*self.kernel_size, channels, self.depth_multiplier],
            **self.depthwise,
        )
        self.pointwise_kernel = self.add_variable(
            "pointwise_kernel",
            [1, 1, channels * self.depth_multiplier, self.filters],
            **self.pointwise,
        )
        self.add_bias(self.filters)
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


@described
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
    return apply_layer(Conv2DTranspose, **locals())


@described
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
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A separable convolution of images: see `td.layers.SeparableConv2D`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.separable_conv2d(td.ones([2, 4, 4, 3]), 5, 3).shape.as_list()
        [2, 2, 2, 5]
    """
    return apply_layer(SeparableConv2D, **locals())
