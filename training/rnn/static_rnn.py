"""Cells along a list of inputs: each step has ops of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies
from ...ops.array.concat import concat
from ...ops.array.identity import identity
from ...ops.array.reverse import reverse_sequence
from ...ops.array.stack import stack, unstack
from ...ops.common.structures import flat, packed
from ...ops.variable_scopes.variable_scope import variable_scope
from .steps import begun, lengths_of, stepped

public = {
    "td.nn, td.contrib.rnn": "static_bidirectional_rnn static_rnn static_state_saving_rnn",
    "td.nn": "bidirectional_rnn=static_bidirectional_rnn rnn=static_rnn",  # before TensorFlow 1.0
}


def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell along a list of inputs.

    Args:
        cell: the cell.
        inputs: for each step a tensor `[batch, size]`, or a structure of them.
        initial_state: the first state; by default zeros.
        dtype: the dtype of these zeros.
        sequence_length: how many steps each row has; past them outputs are 0, states stay.
        scope: the variable scope; by default "rnn".

    Returns:
        The list of the outputs, and the last state.

    Raises:
        TypeError: `inputs` is not a list.
        ValueError: there are no inputs, or neither `initial_state` nor `dtype`.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.nn.rnn_cell.GRUCell(3)
        ...     outputs, state = td.nn.static_rnn(cell, [td.ones([2, 4])] * 5, dtype=td.float32)
        ...     len(outputs), state.shape.as_list()
        (5, [2, 3])
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list, got {inputs!r}")
    if not inputs:
        raise ValueError("inputs must not be empty")
    lengths = lengths_of(sequence_length)
    outputs = []
    with variable_scope(scope or "rnn") as opened:
        steps = [packed(step, [convert_to_tensor(leaf) for leaf in flat(step)]) for step in inputs]
        state = begun(cell, initial_state, flat(steps[0])[0], 0, dtype)
        for time, step in enumerate(steps):
            if time:
                opened.reuse_variables()
            output, state = stepped(cell, step, state, time, lengths)
            outputs.append(output)
    return outputs, state


def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell along a list of inputs, from a state that is kept elsewhere and saved again.

    Args:
        cell: the cell.
        inputs: for each step a tensor `[batch, size]`.
        state_saver: what keeps the states: `state(name)` gives one, `save_state(name, value)` an
            op that saves one.
        state_name: the name of the state, or a structure of names as `cell.state_size` is one.
        sequence_length: how many steps each row has.
        scope: the variable scope; by default "rnn".

    Returns:
        The list of the outputs, of which the last one waits until the state is saved, and the last
        state.

    Raises:
        ValueError: there are other names than parts of the state.

    Example:
        >>> class Kept:
        ...     def __init__(self):
        ...         self.h = td.Variable(td.zeros([2, 3]), trainable=False)
        ...
        ...     def state(self, name):
        ...         return self.h.value()
        ...
        ...     def save_state(self, name, value):
        ...         return self.h.assign(value)
        >>> with td.Graph().as_default():
        ...     cell, steps = td.nn.rnn_cell.GRUCell(3), [td.ones([2, 4])] * 5
        ...     outputs, _ = td.nn.static_state_saving_rnn(cell, steps, Kept(), "h")
        ...     len(outputs)
        5
    """
    sizes, names = cell.state_size, flat(state_name)
    if len(names) != len(flat(sizes)):
        raise ValueError(f"state_name has {len(names)} names for a state of sizes {sizes}")
    start = packed(sizes, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, start, sequence_length=sequence_length, scope=scope)
    pairs = zip(names, flat(state), strict=True)
    with control_dependencies([state_saver.save_state(*pair) for pair in pairs]):
        last = [identity(leaf) for leaf in flat(outputs[-1])]
    return [*outputs[:-1], packed(outputs[-1], last)], state


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Runs a cell along a list of inputs and another one from its end back.

    Args:
        cell_fw: the cell that runs forward.
        cell_bw: the cell that runs back.
        inputs: for each step a tensor `[batch, size]`.
        initial_state_fw: the first state of the one; by default zeros.
        initial_state_bw: the first state of the other; by default zeros.
        dtype: the dtype of these zeros.
        sequence_length: how many steps each row has.
        scope: the variable scope; by default "bidirectional_rnn".

    Returns:
        The list of both outputs, joined along the last dimension, and both last states.

    Example:
        >>> with td.Graph().as_default():
        ...     cells = [td.nn.rnn_cell.GRUCell(size) for size in (3, 2)]
        ...     steps = [td.ones([2, 4])] * 5
        ...     outputs, *_ = td.nn.static_bidirectional_rnn(*cells, steps, dtype=td.float32)
        ...     outputs[0].shape.as_list()
        [2, 5]
    """
    with variable_scope(scope or "bidirectional_rnn"):
        given = dtype, sequence_length
        with variable_scope("fw") as opened:
            ahead, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, *given, scope=opened)
        with variable_scope("bw") as opened:
            reverse = _reversed(inputs, sequence_length)
            back, state_bw = static_rnn(cell_bw, reverse, initial_state_bw, *given, scope=opened)
        pairs = zip(ahead, _reversed(back, sequence_length), strict=True)
        return [concat([fw, bw], 1) for fw, bw in pairs], state_fw, state_bw


def _reversed(steps: Sequence[Any], sequence_length: Any) -> list[Any]:
    """The steps from the last one of each row back."""
    if sequence_length is None:
        return list(reversed(steps))
    return unstack(reverse_sequence(stack(list(steps)), sequence_length, 0, 1), len(steps))
