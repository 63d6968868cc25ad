"""Cells of `td.contrib.rnn` whose states are sequences, images or volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.array.concat import concat
from ....ops.array.split import split
from ....ops.conv.convolution_nd import convolution
from ....ops.initializers.initializers import Zeros
from ....ops.math.exponentials import sigmoid
from ....ops.math.trigonometry import tanh
from ....shape_inference.tensor_shape import TensorShape
from ....training.rnn.lstm_cells import LSTMStateTuple
from ....training.rnn.rnn_cell import RNNCell

public = {"td.contrib.rnn": "Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell"}


class ConvLSTMCell(RNNCell):
    """Convolutional LSTM, for sequences of images.

    Source: Shi and others, "Convolutional LSTM Network" (2015).

    Args:
        conv_ndims: the dimensions of space: 1, 2 or 3.
        input_shape: the shape of an input without the batch: sizes of space, and channels.
        output_channels: the channels of the memory and of the output.
        kernel_shape: the sizes of the window.
        use_bias: whether there is a bias.
        skip_connection: whether to append the channels of the input to those of the output.
        forget_bias: added to the gate that forgets.
        initializers: accepted for TensorFlow's sake.
        name: the name of the scope.

    Raises:
        ValueError: `input_shape` or `kernel_shape` is of other dimensions.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.ConvLSTMCell(2, [8, 8, 3], 4, [3, 3])
        ...     y, _ = td.nn.dynamic_rnn(cell, td.ones([2, 5, 8, 8, 3]), dtype=td.float32)
        ...     y.shape.as_list()
        [2, 5, 8, 8, 4]
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Sequence[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str | None = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        for argument, sizes, rank in (
            ("input_shape", input_shape, conv_ndims + 1),
            ("kernel_shape", kernel_shape, conv_ndims),
        ):
            if len(sizes) != rank:
                raise ValueError(
                    f"{argument} must hold {rank} sizes where conv_ndims = {conv_ndims}, "
                    f"got {list(sizes)}"
                )
        *space, channels = input_shape
        self._output_channels, self._kernel_shape = output_channels, list(kernel_shape)
        self._use_bias, self._forget_bias = use_bias, forget_bias
        self._skip_connection = skip_connection
        memory = TensorShape([*space, output_channels])
        self.state_size = LSTMStateTuple(memory, memory)
        total = output_channels + (channels if skip_connection else 0)
        self.output_size = TensorShape([*space, total])

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias."""
        channels, gates = input_shape.as_list()[-1], 4 * self._output_channels
        before = channels + self._output_channels
        self._kernel = self.add_variable("kernel", [*self._kernel_shape, before, gates])
        if self._use_bias:
            self._biases = self.add_variable("biases", [gates], initializer=Zeros())
        super().build(input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        ((memory, hidden),) = args
        gates = convolution(concat([inputs, hidden], -1), self._kernel, "SAME")
        if self._use_bias:
            gates = gates + self._biases
        input_gate, new_input, forget_gate, output_gate = split(gates, 4, axis=-1)
        memory = sigmoid(forget_gate + self._forget_bias) * memory
        memory = memory + sigmoid(input_gate) * tanh(new_input)
        output = tanh(memory) * sigmoid(output_gate)
        if self._skip_connection:
            output = concat([output, inputs], -1)
        return output, LSTMStateTuple(memory, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` for sequences in space.

    Args:
        name: the name of the scope.
        settings: the other arguments of `ConvLSTMCell`, by name.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.Conv1DLSTMCell(
        ...         input_shape=[8, 3], output_channels=4, kernel_shape=[3]
        ...     )
        ...     cell.output_size.as_list()
        [8, 4]
    """

    def __init__(self, name: str | None = "conv_1d_lstm_cell", **settings: Any) -> None:
        super().__init__(1, name=name, **settings)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` for images.

    Args:
        name: the name of the scope.
        settings: the other arguments of `ConvLSTMCell`, by name.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.Conv2DLSTMCell(
        ...         input_shape=[8, 8, 3], output_channels=4, kernel_shape=[3, 3]
        ...     )
        ...     cell.output_size.as_list()
        [8, 8, 4]
    """

    def __init__(self, name: str | None = "conv_2d_lstm_cell", **settings: Any) -> None:
        super().__init__(2, name=name, **settings)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` for volumes.

    Args:
        name: the name of the scope.
        settings: the other arguments of `ConvLSTMCell`, by name.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.Conv3DLSTMCell(
        ...         input_shape=[8, 8, 8, 3], output_channels=4, kernel_shape=[3, 3, 3]
        ...     )
        ...     cell.output_size.as_list()
        [8, 8, 8, 4]
    """

    def __init__(self, name: str | None = "conv_3d_lstm_cell", **settings: Any) -> None:
        super().__init__(3, name=name, **settings)
