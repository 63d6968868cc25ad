"""Cells of `td.contrib.rnn`: an LSTM with normalized gates, and one that a search has found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ops.array.concat import concat
from ....ops.array.split import split
from ....ops.initializers.initializers import Constant, Zeros
from ....ops.linalg.matmul import matmul
from ....ops.math.exponentials import sigmoid
from ....ops.math.trigonometry import tanh
from ....ops.nn.activations import bias_add, relu
from ....ops.nn.dropout import dropout
from ....ops.nn.normalization import batch_normalization
from ....ops.statistics.moments import moments
from ....training.rnn.lstm_cells import LSTMStateTuple
from ....training.rnn.rnn_cell import RNNCell, known_size

public = {"td.contrib.rnn": "LayerNormBasicLSTMCell NASCell"}

_GATES = "input", "transform", "forget", "output"
_EPSILON = 1e-12


class LayerNormBasicLSTMCell(RNNCell):
    """LSTM with layer normalization of gates and state, and recurrent dropout.

    Source: Ba, Kiros, Hinton, "Layer Normalization" (2016); Semeniuta, Severyn, Barth, "Recurrent
    Dropout without Memory Loss" (2016).

    Args:
        num_units: the size of the memory and of the output.
        forget_bias: added to the gate f.
        input_size: accepted for TensorFlow's sake.
        activation: by default `td.tanh`.
        layer_norm: whether gates and memory are normalized; otherwise there is a bias.
        norm_gain: the initial gain of the normalization.
        norm_shift: the initial shift of the normalization.
        dropout_keep_prob: the probability to keep an element that enters the state.
        dropout_prob_seed: makes the draws the same in every session.
        reuse: whether the variables of an earlier cell of that name are taken.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.LayerNormBasicLSTMCell(3)
        ...     y, _ = td.nn.dynamic_rnn(cell, td.ones([2, 5, 4]), dtype=td.float32)
        ...     y.shape.as_list(), cell.variables[1].op.name
        ([2, 5, 3], 'rnn/layer_norm_basic_lstm_cell/input/gamma')
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Callable[[Any], Any] | None = None,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self.state_size, self.output_size = LSTMStateTuple(num_units, num_units), num_units
        self._forget_bias, self._activation = forget_bias, activation or tanh
        self._layer_norm, self._starts = layer_norm, (norm_gain, norm_shift)
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        units = self.output_size
        self._kernel = self.add_variable("kernel", [known_size(input_shape) + units, 4 * units])
        self._norms: dict[str, list[Any]] = {}
        if not self._layer_norm:
            self._bias = self.add_variable("bias", [4 * units], initializer=Zeros())
        else:
            for name in (*_GATES, "state"):
                self._norms[name] = [
                    self.add_variable(f"{name}/{part}", [units], initializer=Constant(start))
                    for part, start in zip(("gamma", "beta"), self._starts, strict=True)
                ]
        super().build(input_shape)

    def _normalized(self, tensor: Any, name: str) -> Any:
        if not self._layer_norm:
            return tensor
        gamma, beta = (variable.value() for variable in self._norms[name])
        mean, variance = moments(tensor, [1], keep_dims=True)
        return batch_normalization(tensor, mean, variance, beta, gamma, _EPSILON)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        ((c, h),) = args
        product = matmul(concat([inputs, h], 1), self._kernel.value())
        if not self._layer_norm:
            product = bias_add(product, self._bias.value())
        parts = zip(split(product, 4, 1), _GATES, strict=True)
        i, j, f, o = (self._normalized(part, name) for part, name in parts)
        put = self._activation(j)
        if not isinstance(self._keep_prob, (int, float)) or self._keep_prob < 1:
            put = dropout(put, self._keep_prob, seed=self._seed)
        c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * put
        c = self._normalized(c, "state")
        h = self._activation(c) * sigmoid(o)
        return h, LSTMStateTuple(c, h)


class NASCell(RNNCell):
    """The cell that Zoph and Le, "Neural Architecture Search with Reinforcement Learning", found.

    Args:
        num_units: the size of the memory.
        num_proj: the size of the output, if it is projected.
        use_bias: whether there is a bias.
        reuse: whether the variables of an earlier cell of that name are taken.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.NASCell(3, num_proj=2)
        ...     y, state = cell(td.ones([2, 4]), cell.zero_state(2, td.float32))
        ...     y.shape.as_list(), cell.variables[0].op.name
        ([2, 2], 'nas_cell/recurrent_kernel')
    """

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias
        self.output_size = num_units if num_proj is None else num_proj
        self.state_size = LSTMStateTuple(num_units, self.output_size)

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        wide = 8 * self._num_units
        self._recurrent = self.add_variable("recurrent_kernel", [self.output_size, wide])
        self._kernel = self.add_variable("kernel", [known_size(input_shape), wide])
        if self._use_bias:
            self._bias = self.add_variable("bias", [wide], initializer=Zeros())
        if self._num_proj is not None:
            shape = [self._num_units, self._num_proj]
            self._projection = self.add_variable("projection_weights", shape)
        super().build(input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        ((c, h),) = args
        before = matmul(h, self._recurrent.value())
        if self._use_bias:
            before = bias_add(before, self._bias.value())
        x, m = split(matmul(inputs, self._kernel.value()), 8, 1), split(before, 8, 1)
        put = tanh(sigmoid(x[0] + m[0]) * relu(x[1] + m[1]))
        scale = tanh(sigmoid(x[2] + m[2]) + relu(x[3] * m[3]))
        hidden = tanh(tanh(x[4] + m[4]) * sigmoid(x[5] + m[5]))
        gate = sigmoid(tanh(x[6] + m[6]) + sigmoid(x[7] + m[7]))
        c = tanh(put + c) * scale
        h = tanh(c * tanh(hidden + gate))
        if self._num_proj is not None:
            h = matmul(h, self._projection.value())
        return h, LSTMStateTuple(c, h)
