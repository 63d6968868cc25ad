"""Recurrent layers with the arguments of cuDNN's: `td.contrib.cudnn_rnn`."""

from __future__ import annotations

from typing import Any, ClassVar

from ....ops.array.constants import zeros
from ....ops.array.shapes import shape
from ....ops.array.stack import stack, unstack
from ....ops.array.transpose import transpose
from ....ops.initializers.initializers import Zeros
from ....ops.initializers.variance_scaling import GlorotUniform
from ....ops.nn.activations import relu
from ....ops.variable_scopes.variable_scope import get_variable_scope, variable_scope
from ....training.layers.layer import Layer
from ....training.rnn.basic_cells import BasicRNNCell
from ....training.rnn.dynamic_rnn import dynamic_rnn
from ....training.rnn.lstm_cells import LSTMStateTuple
from ....training.rnn.wrappers import DropoutWrapper, MultiRNNCell
from ..rnn.bidirectional import stack_bidirectional_dynamic_rnn
from .compatible_cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell

public = {
    "td.contrib.cudnn_rnn": (
        "CudnnGRU CudnnLSTM CudnnRNNRelu CudnnRNNTanh CUDNN_INPUT_LINEAR_MODE "
        "CUDNN_RNN_BIDIRECTION CUDNN_RNN_UNIDIRECTION"
    )
}

CUDNN_RNN_UNIDIRECTION = "unidirectional"
CUDNN_RNN_BIDIRECTION = "bidirectional"
CUDNN_INPUT_LINEAR_MODE = "linear_input"


def _relu_cell(num_units: int) -> Any:
    return BasicRNNCell(num_units, relu)


class _CudnnRNN(Layer):
    """Layers of cells along steps, one way or both ways.

    The variables are those of the cells, by the names that TensorFlow's checkpoints have for them:
    in a graph of TensorFlow, they are one variable in a form that only a GPU reads.
    """

    states: ClassVar[int] = 1
    _cell: ClassVar[Any]

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = "linear_input",
        direction: str = "unidirectional",
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = "float32",
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        if direction not in (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION):
            raise ValueError(
                f"direction must be 'unidirectional' or 'bidirectional', got {direction!r}"
            )
        if input_mode not in ("linear_input", "auto_select"):
            raise ValueError(f"input_mode must be 'linear_input', got {input_mode!r}")
        if not 0.0 <= dropout < 1.0:
            raise ValueError(f"dropout must be in [0, 1), got {dropout}")
        if num_layers < 1 or num_units < 1:
            raise ValueError(
                f"num_layers and num_units must be at least 1, got {num_layers} and {num_units}"
            )
        self.num_layers, self.num_units = num_layers, num_units
        self.input_mode, self.direction = input_mode, direction
        self.num_dirs = 2 if direction == CUDNN_RNN_BIDIRECTION else 1
        self.dropout, self.seed = dropout, seed
        self._initializers = kernel_initializer or GlorotUniform(seed), bias_initializer or Zeros()
        number = num_layers * self.num_dirs
        self._cells = [type(self)._cell(num_units) for _ in range(number)]

    @property
    def input_size(self) -> int:
        """The size of the inputs, once the layer was called."""
        if not self.built:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return int(self._input_size)

    def state_shape(self, batch_size: Any) -> Any:
        """The shape of each state, or where there is only one, of that.

        Args:
            batch_size: number of examples.
        """
        sizes = [self.num_layers * self.num_dirs, batch_size, self.num_units]
        return tuple([sizes] * self.states) if self.states > 1 else (sizes,)

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of the cells."""
        if not self.trainable:
            return []
        return [variable for cell in self._cells for variable in cell.trainable_weights]

    trainable_variables = trainable_weights

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of the cells, if they are not to be trained."""
        if self.trainable:
            return []
        return [variable for cell in self._cells for variable in cell.weights]

    @property
    def weights(self) -> list[Any]:
        """All variables."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    variables = weights

    def build(self, input_shape: Any) -> None:
        """Notes the size of the inputs.

        Raises:
            ValueError: the inputs have another rank than 3, or their size is not known.
        """
        if input_shape.rank != 3 or input_shape.as_list()[-1] is None:
            raise ValueError(
                f"inputs must be [time, batch, size] with a known size, got {input_shape}"
            )
        self._input_size = input_shape.as_list()[-1]
        self.built = True

    def _begun(self, getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """Initial values of the variables."""
        kernel, bias = self._initializers
        kwargs["initializer"] = bias if name.endswith("bias") else kernel
        return getter(name, *args, **kwargs)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """The outputs `[time, batch, directions * num_units]`, and the last states.

        Args:
            inputs: `[time, batch, size]`.
            args: `initial_state`, as below, if it has no name.
            kwargs: `initial_state`: a tuple of states `[layers * directions, batch, num_units]`;
                `sequence_lengths`: how long each example is; `time_major`: whether the time comes
                first, by default True; `training`: whether some outputs between layers are
                dropped, by default True.
        """
        first = args[0] if args else kwargs.get("initial_state")
        time_major = kwargs.get("time_major", True)
        time_major_inputs = inputs if time_major else transpose(inputs, [1, 0, 2])
        if first is None:
            sizes = self.state_shape(shape(time_major_inputs)[1])
            first = tuple(zeros(each, time_major_inputs.dtype) for each in sizes)
        states = [self._one(parts) for parts in zip(*map(unstack, first), strict=True)]
        keep = 1.0 - self.dropout if kwargs.get("training", True) else 1.0
        cells = [
            cell if keep == 1.0 or place < self.num_dirs else self._dropping(cell, keep)
            for place, cell in enumerate(self._cells)
        ]
        settings: dict[str, Any] = {
            "sequence_length": kwargs.get("sequence_lengths"),
            "time_major": True,
        }
        with variable_scope(get_variable_scope(), custom_getter=self._begun):
            if self.num_dirs == 1:
                whole = MultiRNNCell(cells)
                outputs, after = dynamic_rnn(
                    whole, time_major_inputs, initial_state=tuple(states), dtype=None, **settings
                )
            else:
                outputs, *ends = stack_bidirectional_dynamic_rnn(
                    cells[::2],
                    cells[1::2],
                    time_major_inputs,
                    states[::2],
                    states[1::2],
                    **settings,
                )
                after = [state for pair in zip(*ends, strict=True) for state in pair]
        last = tuple(stack(list(parts)) for parts in zip(*map(self._parts, after), strict=True))
        return (outputs if time_major else transpose(outputs, [1, 0, 2])), last

    def _dropping(self, cell: Any, keep: float) -> Any:
        return DropoutWrapper(cell, input_keep_prob=keep, seed=self.seed)

    @staticmethod
    def _one(parts: tuple[Any, ...]) -> Any:
        """The state of a cell, of the parts that states of layers hold."""
        return parts[0]

    @staticmethod
    def _parts(state: Any) -> tuple[Any, ...]:
        return (state,)


class CudnnLSTM(_CudnnRNN):
    """Layers of long short-term memory.

    Called on inputs `[time, batch, size]`, it gives the outputs and a pair of the last outputs and
    memories, each `[layers * directions, batch, num_units]`. It runs on the CPU; the names of its
    variables are those that TensorFlow 1.15 writes into checkpoints, so that these are read and
    written.

    Args:
        num_layers: number of layers.
        num_units: the size of the outputs, one way.
        input_mode: "linear_input".
        direction: "unidirectional" or "bidirectional".
        dropout: how likely an output is dropped between layers, in training.
        seed: makes dropout deterministic.
        dtype: the dtype of the variables.
        kernel_initializer: makes the kernels; by default that of Glorot.
        bias_initializer: makes the biases; by default zeros.
        name: the name, by default "cudnn_lstm".

    Raises:
        ValueError: an argument has an unknown value.

    Example:
        >>> with td.Graph().as_default():
        ...     lstm = td.contrib.cudnn_rnn.CudnnLSTM(2, 4, direction="bidirectional")
        ...     outputs, (h, c) = lstm(td.ones([5, 3, 6]))
        ...     outputs.shape.as_list(), h.shape.as_list()
        ([5, 3, 8], [4, 3, 4])
    """

    states = 2
    _cell = CudnnCompatibleLSTMCell

    @staticmethod
    def _one(parts: tuple[Any, ...]) -> Any:
        h, c = parts
        return LSTMStateTuple(c, h)

    @staticmethod
    def _parts(state: Any) -> tuple[Any, ...]:
        return state.h, state.c


class CudnnGRU(_CudnnRNN):
    """Layers of gated recurrent units: see `CudnnLSTM`.

    Example:
        >>> with td.Graph().as_default():
        ...     outputs, (h,) = td.contrib.cudnn_rnn.CudnnGRU(2, 4)(td.ones([5, 3, 6]))
        ...     outputs.shape.as_list(), h.shape.as_list()
        ([5, 3, 4], [2, 3, 4])
    """

    _cell = CudnnCompatibleGRUCell


class CudnnRNNTanh(_CudnnRNN):
    """Layers of plain recurrent cells that end in a hyperbolic tangent: see `CudnnLSTM`.

    Example:
        >>> with td.Graph().as_default():
        ...     outputs, _ = td.contrib.cudnn_rnn.CudnnRNNTanh(1, 4)(td.ones([5, 3, 6]))
        ...     outputs.shape.as_list()
        [5, 3, 4]
    """

    _cell = BasicRNNCell


class CudnnRNNRelu(_CudnnRNN):
    """Layers of plain recurrent cells that end in `td.nn.relu`: see `CudnnLSTM`.

    Example:
        >>> with td.Graph().as_default():
        ...     outputs, _ = td.contrib.cudnn_rnn.CudnnRNNRelu(1, 4)(td.ones([5, 3, 6]))
        ...     outputs.shape.as_list()
        [5, 3, 4]
    """

    _cell = staticmethod(_relu_cell)
