"""`td.contrib.rnn.HighwayWrapper`: part of the input goes past a cell."""

from __future__ import annotations

from typing import Any

from ....ops.common.structures import check_alike, flat, packed
from ....ops.initializers.initializers import Constant
from ....ops.math.exponentials import sigmoid
from ....ops.nn.affine_layers import xw_plus_b
from ....ops.variable_scopes.get_variable import get_variable
from ....training.rnn.rnn_cell import RNNCell, known_size

public = {"td.contrib.rnn": "HighwayWrapper"}


class HighwayWrapper(RNNCell):
    """Highway wrapper: mixes the output of a cell with its input by a learnt gate.

    Source: Srivastava, Greff, Schmidhuber, "Highway Networks" (2015). The variables are in the
    scope in force, not in one of the cell.

    Args:
        cell: the cell, whose output is of the size of its input.
        couple_carry_transform_gates: whether the carry gate is 1 minus the transform gate;
            otherwise it has weights of its own.
        carry_bias_init: the first bias of the input's gate, and less than 0 that of the output's.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.HighwayWrapper(td.nn.rnn_cell.GRUCell(3))
        ...     y, _ = cell(td.ones([2, 3]), cell.zero_state(2, td.float32))
        ...     y.shape.as_list(), td.global_variables()[-1].op.name
        ([2, 3], 'carry_b')
    """

    def __init__(
        self,
        cell: Any,
        couple_carry_transform_gates: bool = True,
        carry_bias_init: float = 1.0,
    ) -> None:
        super().__init__()
        self._cell = cell
        self._couples, self._carry_bias = couple_carry_transform_gates, carry_bias_init
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state of the cell inside that is all zeros."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any = None, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state.

        Raises:
            ValueError: the output is not of the shape of the input.
        """
        outputs, state = self._cell(inputs, state, *args, **kwargs)
        check_alike(inputs, outputs)
        pairs = zip(flat(inputs), flat(outputs), strict=True)
        return packed(outputs, [self._mixed(*pair) for pair in pairs]), state

    def _mixed(self, before: Any, after: Any) -> Any:
        before.shape.assert_is_compatible_with(after.shape)
        carried = self._gate("carry", before, self._carry_bias)
        changed = (
            1 - carried if self._couples else self._gate("transform", before, -self._carry_bias)
        )
        return before * carried + after * changed

    def _gate(self, name: str, inputs: Any, bias: float) -> Any:
        size, dtype = known_size(inputs.shape), inputs.dtype.base_dtype
        weights = get_variable(f"{name}_w", [size, size], dtype)
        biases = get_variable(f"{name}_b", [size], dtype, initializer=Constant(bias))
        return sigmoid(xw_plus_b(inputs, weights, biases))
