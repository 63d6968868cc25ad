"""LSTM cells, whose state is `c`, the memory, and `h`, the output."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...ops.array.concat import concat
from ...ops.array.split import split
from ...ops.initializers.initializers import Zeros
from ...ops.linalg.matmul import matmul
from ...ops.math.exponentials import sigmoid
from ...ops.math.trigonometry import tanh
from ...ops.nn.activations import bias_add
from ...ops.statistics.clip import clip_by_value
from ..layers.activations import resolve_function
from .rnn_cell import RNNCell, known_size

public = {"td.nn.rnn_cell, td.contrib.rnn": "BasicLSTMCell LSTMCell LSTMStateTuple"}


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: the memory `c` and the output `h`.

    Example:
        >>> td.nn.rnn_cell.LSTMStateTuple(c=1, h=2)
        LSTMStateTuple(c=1, h=2)
    """

    c: Any
    h: Any


class LSTMCell(RNNCell):
    """LSTM cell, with optional peepholes, projection and clipping.

    The columns of `kernel` are those of the gates i, j, f and o.

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        cell_clip: the greatest magnitude in the memory.
        initializer: of the kernels, as for `td.get_variable`.
        num_proj: the size of the output, if it is projected.
        proj_clip: the greatest magnitude in a projected output.
        num_unit_shards: accepted for TensorFlow's sake, like that after it.
        num_proj_shards: accepted.
        forget_bias: added to the gate f.
        state_is_tuple: whether the state is an LSTMStateTuple; otherwise `c` and `h` are joined.
        activation: by default `td.tanh`.
        reuse: whether the variables of an earlier cell of that name are taken.
        name: the name; by default "lstm_cell", made unique.
        dtype: the dtype of the variables; by default that of the inputs.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.nn.rnn_cell.LSTMCell(8, use_peepholes=True, num_proj=3)
        ...     y, state = cell(td.ones([2, 4]), cell.zero_state(2, td.float32))
        ...     y.shape.as_list(), state.c.shape.as_list(), len(cell.variables)
        ([2, 3], [2, 8], 6)
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = resolve_function("activation", activation) or tanh
        self.output_size = num_proj or num_units
        sizes = LSTMStateTuple(num_units, self.output_size)
        self.state_size = sizes if state_is_tuple else sum(sizes)

    def build(self, input_shape: Any) -> None:
        """Creates the variables."""
        units, init = self._num_units, self._initializer
        size = known_size(input_shape) + self.output_size
        self._kernel = self.add_variable("kernel", [size, 4 * units], initializer=init)
        self._bias = self.add_variable("bias", [4 * units], initializer=Zeros())
        names = ("w_f_diag", "w_i_diag", "w_o_diag") if self._use_peepholes else ()
        self._peepholes = [self.add_variable(name, [units], initializer=init) for name in names]
        if self._num_proj is not None:
            shape = [units, self._num_proj]
            self._projection = self.add_variable("projection/kernel", shape, initializer=init)
        super().build(input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        (state,) = args
        sizes = [self._num_units, self.output_size]
        c, h = state if self._state_is_tuple else split(state, sizes, 1)
        product = matmul(concat([inputs, h], 1), self._kernel.value())
        i, j, f, o = split(bias_add(product, self._bias.value()), 4, 1)
        f = f + self._forget_bias
        if self._use_peepholes:
            w_f, w_i, _ = self._peepholes
            f, i = f + w_f.value() * c, i + w_i.value() * c
        c = c * sigmoid(f) + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            o = o + self._peepholes[2].value() * c
        h = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            h = matmul(h, self._projection.value())
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)


class BasicLSTMCell(LSTMCell):
    """Basic LSTM cell, without peepholes, projection and clipping.

    Args:
        num_units: the size of the memory and of the output.
        forget_bias: added to the gate f.
        state_is_tuple: whether the state is an LSTMStateTuple; otherwise `c` and `h` are joined.
        activation: by default `td.tanh`.
        reuse: whether the variables of an earlier cell of that name are taken.
        name: the name; by default "basic_lstm_cell", made unique.
        dtype: the dtype of the variables; by default that of the inputs.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.nn.rnn_cell.BasicLSTMCell(3)
        ...     y, _ = td.nn.dynamic_rnn(cell, td.ones([2, 5, 4]), dtype=td.float32)
        ...     y.shape.as_list(), [v.op.name for v in cell.variables]
        ([2, 5, 3], ['rnn/basic_lstm_cell/kernel', 'rnn/basic_lstm_cell/bias'])
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            num_units,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
            name=name,
            dtype=dtype,
        )
