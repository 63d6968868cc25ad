"""Cells compatible with cuDNN and its checkpoints: `td.contrib.cudnn_rnn`."""

from __future__ import annotations

from typing import Any

from ....ops.linalg.matmul import matmul
from ....ops.math.trigonometry import tanh
from ....ops.nn.activations import bias_add
from ....training.rnn.basic_cells import GRUCell
from ....training.rnn.rnn_cell import known_size
from ..rnn.block_cells import LSTMBlockCell

public = {"td.contrib.cudnn_rnn": "CudnnCompatibleGRUCell CudnnCompatibleLSTMCell"}


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """`LSTMBlockCell` as cuDNN computes it: nothing is added to the gate f.

    Args:
        num_units: the size of the memory and of the output.
        reuse: whether the variables of an earlier cell of that name are taken.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(3)
        ...     _ = td.nn.dynamic_rnn(cell, td.ones([2, 5, 4]), dtype=td.float32)
        ...     [v.op.name for v in td.trainable_variables()][0]
        'rnn/cudnn_compatible_lstm_cell/kernel'
    """

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        super().__init__(num_units, forget_bias=0.0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """A gated recurrent unit as cuDNN computes it: the state is multiplied before it is reset.

    Args:
        num_units: the size of the state.
        reuse: whether the variables of an earlier cell of that name are taken.
        kernel_initializer: as for `td.get_variable`.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.cudnn_rnn.CudnnCompatibleGRUCell(3)
        ...     _ = td.nn.dynamic_rnn(cell, td.ones([2, 5, 4]), dtype=td.float32)
        ...     len(td.trainable_variables())
        6
    """

    def __init__(
        self, num_units: int, reuse: bool | None = None, kernel_initializer: Any = None
    ) -> None:
        super().__init__(
            num_units,
            reuse=reuse,
            kernel_initializer=kernel_initializer,
            name="cudnn_compatible_gru_cell",
        )

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        size, units = known_size(input_shape), self.output_size
        self._gate_kernel = self._kernel("gates", size + units, 2 * units)
        self._gate_bias = self._bias("gates", 2 * units)
        self._products = [
            (self._kernel(f"candidate/{part}_projection", rows, units), self._bias(name, units))
            for part, rows, name in (
                ("input", size, "candidate/input_projection"),
                ("hidden", units, "candidate/hidden_projection"),
            )
        ]
        self.built = True

    def _kernel(self, name: str, rows: int, columns: int) -> Any:
        return self.add_variable(
            f"{name}/kernel", [rows, columns], initializer=self._kernel_initializer
        )

    def _bias(self, name: str, size: int) -> Any:
        return self.add_variable(f"{name}/bias", [size], initializer=self._bias_initializer)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        (state,) = args
        reset, update = self._gates(inputs, state)
        of_input, of_state = (
            bias_add(matmul(given, kernel.value()), bias.value())
            for given, (kernel, bias) in zip((inputs, state), self._products, strict=True)
        )
        candidate = tanh(of_input + reset * of_state)
        output = (1 - update) * candidate + update * state
        return output, output
