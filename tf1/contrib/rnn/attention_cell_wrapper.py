"""A cell that attends to its own last states: `td.contrib.rnn.AttentionCellWrapper`."""

from __future__ import annotations

from typing import Any

from ....ops.array.concat import concat
from ....ops.array.reshape import expand_dims, reshape
from ....ops.common.structures import flat
from ....ops.conv.convolution import conv2d
from ....ops.math.reductions import reduce_sum
from ....ops.math.trigonometry import tanh
from ....ops.nn.activations import softmax
from ....ops.variable_scopes.get_variable import get_variable
from ....ops.variable_scopes.variable_scope import variable_scope
from ....training.rnn.rnn_cell import RNNCell, known_size
from .projection_wrappers import linear

public = {"td.contrib.rnn": "AttentionCellWrapper"}


class AttentionCellWrapper(RNNCell):
    """A cell with attention over its last outputs, mixed into inputs and outputs.

    The state is a tuple of the state of the cell, the mean, and the last outputs in one row.
    Source: Bahdanau, Cho, Bengio, "Neural Machine Translation by Jointly Learning to Align and
    Translate" (2014); TensorFlow 1.15.

    Args:
        cell: the cell.
        attn_length: the number of outputs to attend to.
        attn_size: their size; by default the size of the output of the cell.
        attn_vec_size: the size of the comparison of outputs and states; by default `attn_size`.
        input_size: the size of the mixed inputs; by default that of the inputs.
        state_is_tuple: True.
        reuse: whether the variables of an earlier cell are taken.

    Raises:
        ValueError: `attn_length` is not positive, or `state_is_tuple` is False.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.AttentionCellWrapper(td.nn.rnn_cell.GRUCell(3), attn_length=4)
        ...     y, _ = td.nn.dynamic_rnn(cell, td.ones([2, 5, 6]), dtype=td.float32)
        ...     y.shape.as_list(), cell.state_size
        ([2, 5, 3], (3, 3, 12))
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            raise ValueError("state_is_tuple must be True: states are not joined into one tensor")
        self._cell, self._length = cell, attn_length
        self._size = attn_size or cell.output_size
        self._vector_size = attn_vec_size or self._size
        self._input_size = input_size
        self.output_size = self._size
        self.state_size = (cell.state_size, self._size, self._size * attn_length)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The mixed output, and the next state."""
        ((state, mean, last),) = args
        last = reshape(last, [-1, self._length, self._size])
        mixed = linear([inputs, mean], self._input_size or known_size(inputs.shape))
        output, after = self._cell(mixed, state)
        mean = self._attended(concat(flat(after), 1), last)
        with variable_scope("attn_output_projection"):
            output = linear([output, mean], self._size)
        last = concat([last[:, 1:], expand_dims(output, 1)], 1)
        return output, (after, mean, reshape(last, [-1, self._length * self._size]))

    def _attended(self, query: Any, last: Any) -> Any:
        """The mean of the last outputs, by how well they answer."""
        with variable_scope("attention"):
            kernel = get_variable("attn_w", [1, 1, self._size, self._vector_size], query.dtype)
            factors = get_variable("attn_v", [self._vector_size], query.dtype)
            hidden = expand_dims(last, 2)
            features = conv2d(hidden, kernel.value(), [1, 1, 1, 1], "SAME")
            asked = reshape(linear(query, self._vector_size), [-1, 1, 1, self._vector_size])
            scores = reduce_sum(factors.value() * tanh(features + asked), [2, 3])
            shares = reshape(softmax(scores), [-1, self._length, 1, 1])
            return reshape(reduce_sum(shares * hidden, [1, 2]), [-1, self._size])
