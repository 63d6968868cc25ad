"""Stacked bidirectional layers; each reads both directions of the one below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.array.concat import concat
from ....ops.variable_scopes.variable_scope import variable_scope
from ....training.rnn.dynamic_rnn import bidirectional_dynamic_rnn
from ....training.rnn.static_rnn import static_bidirectional_rnn

public = {"td.contrib.rnn": "stack_bidirectional_dynamic_rnn stack_bidirectional_rnn"}


def stack_bidirectional_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Sequence[Any],
    initial_states_fw: Sequence[Any] | None = None,
    initial_states_bw: Sequence[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], tuple[Any, ...], tuple[Any, ...]]:
    """`static_bidirectional_rnn` in layers: the outputs of one are the inputs of the next.

    Args:
        cells_fw: for each layer the cell that runs forward.
        cells_bw: for each layer the cell that runs back.
        inputs: for each step a tensor `[batch, size]`.
        initial_states_fw: for each layer the first state of the one; by default zeros.
        initial_states_bw: the same of the other.
        dtype: the dtype of these zeros.
        sequence_length: number of steps of each row.
        scope: the variable scope; by default "stack_bidirectional_rnn".

    Returns:
        The list of the outputs of the last layer, both ways joined, and the last states of all
        layers, of either way.

    Raises:
        ValueError: there are no cells, or other numbers of them or of states.

    Example:
        >>> with td.Graph().as_default():
        ...     cells = [[td.nn.rnn_cell.GRUCell(3) for _ in range(2)] for _ in range(2)]
        ...     steps = [td.ones([2, 4])] * 5
        ...     outputs, *_ = td.contrib.rnn.stack_bidirectional_rnn(
        ...         cells[0], cells[1], steps, dtype=td.float32
        ...     )
        ...     outputs[0].shape.as_list()
        [2, 6]
    """
    layers = _layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states: list[tuple[Any, Any]] = []
    outputs = list(inputs)
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, layer in enumerate(layers):
            with variable_scope(f"cell_{i}"):
                fw, bw, start_fw, start_bw = layer
                outputs, *pair = static_bidirectional_rnn(
                    fw, bw, outputs, start_fw, start_bw, dtype, sequence_length
                )
                states.append((pair[0], pair[1]))
    return outputs, tuple(fw for fw, _ in states), tuple(bw for _, bw in states)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Any,
    initial_states_fw: Sequence[Any] | None = None,
    initial_states_bw: Sequence[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """`bidirectional_dynamic_rnn` in layers: the outputs of one are the inputs of the next.

    Args:
        cells_fw: for each layer the cell that runs forward.
        cells_bw: for each layer the cell that runs back.
        inputs: `[batch, time, size]`.
        initial_states_fw: for each layer the first state of the one; by default zeros.
        initial_states_bw: the same of the other.
        dtype: the dtype of these zeros.
        sequence_length: number of steps of each row.
        parallel_iterations: as for `td.nn.dynamic_rnn`.
        time_major: whether time comes before batch.
        scope: the variable scope; by default "stack_bidirectional_rnn".
        swap_memory: accepted for TensorFlow's sake.

    Returns:
        The outputs of the last layer, both ways joined, and the last states of all layers, of
        either way.

    Raises:
        ValueError: there are no cells, or other numbers of them or of states.

    Example:
        >>> with td.Graph().as_default():
        ...     cells = [[td.nn.rnn_cell.GRUCell(3) for _ in range(2)] for _ in range(2)]
        ...     y, states, _ = td.contrib.rnn.stack_bidirectional_dynamic_rnn(
        ...         cells[0], cells[1], td.ones([2, 5, 4]), dtype=td.float32
        ...     )
        ...     y.shape.as_list(), len(states)
        ([2, 5, 6], 2)
    """
    layers = _layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = []
    outputs = inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (fw, bw, start_fw, start_bw) in enumerate(layers):
            with variable_scope(f"cell_{i}"):
                both, pair = bidirectional_dynamic_rnn(
                    fw,
                    bw,
                    outputs,
                    sequence_length,
                    start_fw,
                    start_bw,
                    dtype,
                    parallel_iterations,
                    swap_memory,
                    time_major,
                )
                outputs = concat(list(both), 2)
                states.append(pair)
    return outputs, tuple(fw for fw, _ in states), tuple(bw for _, bw in states)


def _layers(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    states_fw: Sequence[Any] | None,
    states_bw: Sequence[Any] | None,
) -> list[tuple[Any, Any, Any, Any]]:
    """For each layer both cells, and both first states."""
    number = len(cells_fw)
    if not number:
        raise ValueError("cells_fw must not be empty")
    parts = {
        "cells_bw": cells_bw,
        "initial_states_fw": states_fw if states_fw is not None else [None] * number,
        "initial_states_bw": states_bw if states_bw is not None else [None] * number,
    }
    for what, items in parts.items():
        if len(items) != number:
            raise ValueError(f"{what}: expected {number} items to match cells_fw, got {len(items)}")
    return list(zip(cells_fw, *parts.values(), strict=True))
