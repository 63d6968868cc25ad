"""Cells along the time of a tensor: unrolled where the number of steps is known, else in a loop."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...ops.array.constants import constant
from ...ops.array.fills import zeros
from ...ops.array.reversing import reverse, reverse_sequence
from ...ops.array.shapes import shape
from ...ops.array.stacking import stack, unstack
from ...ops.array.transposing import transpose
from ...ops.control_flow.loops import while_loop
from ...ops.indexing.gathering import gather
from ...ops.kit.structures import flat, packed
from ...ops.lists.list_ops import TENSOR_LIST_RESERVE, TENSOR_LIST_SET_ITEM
from ...ops.lists.list_tensors import TENSOR_LIST_STACK
from ...ops.math.comparison import less
from ...ops.variable_scopes.variable_scope import get_variable_scope, variable_scope
from .steps import begun, lengths_of, stepped

public = {"td.nn": "bidirectional_dynamic_rnn dynamic_rnn"}


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell along the time of a tensor.

    Where the number of steps is known, each step has ops of its own, unlike in TensorFlow, and
    gradients pass through them; otherwise they are in a loop.

    Args:
        cell: the cell.
        inputs: `[batch, time, …]`, or a structure of such tensors.
        sequence_length: how many steps each row has; past them outputs are 0, states stay.
        initial_state: the first state; by default zeros.
        dtype: the dtype of these zeros.
        parallel_iterations: accepted for TensorFlow's sake, like that after it.
        swap_memory: accepted.
        time_major: whether time comes before batch, in inputs and outputs.
        scope: the variable scope; by default "rnn".

    Returns:
        The outputs, `[batch, time, …]`, and the last state.

    Raises:
        ValueError: there is neither `initial_state` nor `dtype`, or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, [None, 5, 4])
        ...     y, state = td.nn.dynamic_rnn(td.nn.rnn_cell.GRUCell(3), x, dtype=td.float32)
        ...     y.shape.as_list(), state.shape.as_list()
        ([None, 5, 3], [None, 3])
    """
    del parallel_iterations, swap_memory
    lengths = lengths_of(sequence_length)
    with variable_scope(scope or "rnn"):
        leaves = [convert_to_tensor(leaf) for leaf in flat(inputs)]
        columns = leaves if time_major else [_turned(leaf) for leaf in leaves]
        state = begun(cell, initial_state, columns[0], 1, dtype)
        steps = columns[0].shape.with_rank_at_least(2)[0].value
        if steps:
            rows = [unstack(column, steps) for column in columns]
            parts = [packed(inputs, row) for row in zip(*rows, strict=True)]
            outputs, state = _unrolled(cell, parts, state, lengths)
        else:
            outputs, state = _looped(cell, packed(inputs, columns), state, lengths)
        made = flat(outputs)
        return packed(outputs, made if time_major else [_turned(leaf) for leaf in made]), state


def _turned(tensor: Any) -> Any:
    """The tensor with time and batch in each other's place."""
    rank = tensor.shape.with_rank_at_least(2).rank
    if rank is None:
        raise ValueError(f"dynamic_rnn needs inputs of known rank, got {tensor}")
    return transpose(tensor, [1, 0, *range(2, rank)])


def _unrolled(cell: Any, parts: list[Any], state: Any, lengths: Any) -> tuple[Any, Any]:
    """The outputs of a list of steps, stacked, and the last state."""
    outputs = []
    opened = get_variable_scope()
    for time, part in enumerate(parts):
        if time:
            opened.reuse_variables()
        output, state = stepped(cell, part, state, time, lengths)
        outputs.append(output)
    columns = zip(*map(flat, outputs), strict=True)
    return packed(outputs[0], [stack(list(column)) for column in columns]), state


def _looped(cell: Any, columns: Any, state: Any, lengths: Any) -> tuple[Any, Any]:
    """The outputs of steps whose number the run knows, stacked, and the last state."""
    leaves = flat(columns)
    number = gather(shape(leaves[0]), 0)
    # A loop's body cannot make variables: a step outside of it does, and no run computes it.
    likes = [zeros([shape(leaf)[1], *leaf.shape.as_list()[2:]], leaf.dtype) for leaf in leaves]
    output, _ = stepped(cell, packed(columns, likes), state, 0, None)
    get_variable_scope().reuse_variables()
    dtypes = [leaf.dtype.base_dtype for leaf in flat(output)]
    lists = [TENSOR_LIST_RESERVE(constant(-1), number, element_dtype=t) for t in dtypes]

    def body(time: Any, before: Any, handles: Any) -> Any:
        part = packed(columns, [gather(leaf, time) for leaf in leaves])
        made, after = stepped(cell, part, before, time, lengths)
        items = zip(handles, flat(made), dtypes, strict=True)
        handles = [TENSOR_LIST_SET_ITEM(h, time, item, element_dtype=t) for h, item, t in items]
        return time + 1, after, handles

    start = (constant(0), state, lists)
    _, last, lists = while_loop(lambda time, *_: less(time, number), body, start)
    stacked = []
    for handle, leaf, dtype in zip(lists, flat(output), dtypes, strict=True):
        column = TENSOR_LIST_STACK(handle, constant(-1), element_dtype=dtype)
        column.set_shape([leaves[0].shape[0], *leaf.shape])
        stacked.append(column)
    return packed(output, stacked), last


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Runs a cell along the time of a tensor and another one from its end back.

    Args:
        cell_fw: the cell that runs forward.
        cell_bw: the cell that runs back.
        inputs: `[batch, time, size]`.
        sequence_length: how many steps each row has; the way back begins at the last of them.
        initial_state_fw: the first state of the one; by default zeros.
        initial_state_bw: the first state of the other; by default zeros.
        dtype: the dtype of these zeros.
        parallel_iterations: accepted for TensorFlow's sake, like that after it.
        swap_memory: accepted.
        time_major: whether time comes before batch.
        scope: the variable scope; by default "bidirectional_rnn".

    Returns:
        The pair of the outputs, and the pair of the last states.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     cells = [td.nn.rnn_cell.GRUCell(size) for size in (3, 2)]
        ...     x = td.ones([2, 5, 4])
        ...     (fw, bw), _ = td.nn.bidirectional_dynamic_rnn(*cells, x, dtype=td.float32)
        ...     fw.shape.as_list(), bw.shape.as_list()
        ([2, 5, 3], [2, 5, 2])
    """
    time, batch = (0, 1) if time_major else (1, 0)

    def turned(tensor: Any) -> Any:
        if sequence_length is None:
            return reverse(tensor, [time])
        return reverse_sequence(tensor, sequence_length, time, batch)

    tail = dtype, parallel_iterations, swap_memory, time_major
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as opened:
            ahead, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, *tail, opened
            )
        with variable_scope("bw") as opened:
            leaves = [turned(convert_to_tensor(leaf)) for leaf in flat(inputs)]
            back, state_bw = dynamic_rnn(
                cell_bw, packed(inputs, leaves), sequence_length, initial_state_bw, *tail, opened
            )
        back = packed(back, [turned(leaf) for leaf in flat(back)])
    return (ahead, back), (state_fw, state_bw)
