"""Cells along the time of a tensor, in a loop: `td.nn.dynamic_rnn`, one way and both."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...ops.array.constants import constant
from ...ops.array.reverse import reverse, reverse_sequence
from ...ops.array.shapes import shape
from ...ops.array.stack import stack, unstack
from ...ops.common.structures import flat, packed
from ...ops.control_flow.building import built_while
from ...ops.control_flow.slices import Slices, Stacks
from ...ops.indexing.gather import gather
from ...ops.math.arithmetic import maximum, minimum
from ...ops.math.comparison import less
from ...ops.math.reductions import reduce_max
from ...ops.variable_scopes.variable_scope import get_variable_scope, variable_scope
from ...protos.dtypes import as_dtype
from .rnn_cell import dims_of
from .steps import begun, lengths_of, output_size_of, stepped, turned

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
    *,
    unroll: bool = False,
) -> tuple[Any, Any]:
    """Runs a cell along the time of a tensor, in a loop that ends with the longest row.

    Args:
        cell: the cell; its `output_size` and state dtype determine the outputs.
        inputs: `[batch, time, …]`, or a structure of such tensors.
        sequence_length: how many steps each row has; past them outputs are 0, states stay.
        initial_state: the first state; by default zeros.
        dtype: the dtype of these zeros, and of the outputs.
        parallel_iterations: kept for TensorFlow, as for `td.while_loop`.
        swap_memory: accepted for TensorFlow's sake.
        time_major: whether time comes before batch, in inputs and outputs.
        scope: the variable scope; by default "rnn".
        unroll: whether the graph gets the ops of every step in place of a loop; the number of
            steps must then be known.

    Returns:
        The outputs, `[batch, time, …]`, and the last state.

    Raises:
        TypeError: `cell` is none.
        ValueError: there is neither `initial_state` nor `dtype`, a shape does not fit, or the cell
            changes the shape of its state.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, [None, 5, 4])
        ...     y, state = td.nn.dynamic_rnn(td.nn.rnn_cell.GRUCell(3), x, dtype=td.float32)
        ...     y.name, y.shape.as_list(), state.name
        ('rnn/transpose_1:0', [None, 5, 3], 'rnn/while/Exit_3:0')
    """
    lengths = lengths_of(sequence_length)
    with variable_scope(scope or "rnn"):
        leaves = [convert_to_tensor(leaf) for leaf in flat(inputs)]
        columns = leaves if time_major else [turned(leaf) for leaf in leaves]
        state = begun(cell, initial_state, columns[0], 1, dtype)
        if unroll:
            outputs, state = _unrolled(cell, inputs, columns, state, lengths)
        else:
            given = packed(inputs, columns), state, lengths, dtype or _dtype_of(state)
            outputs, state = _looped(cell, *given, parallel_iterations or 32)
        made = flat(outputs)
        return packed(outputs, made if time_major else [turned(leaf) for leaf in made]), state


def _dtype_of(state: Any) -> Any:
    """The one dtype of a state.

    Raises:
        ValueError: there are several.
    """
    dtypes = {leaf.dtype.base_dtype for leaf in flat(state)}
    if len(dtypes) != 1:
        named = sorted(dtype.name for dtype in dtypes)
        raise ValueError(
            f"the state has the dtypes {named}: dtype must specify that of the outputs"
        )
    return dtypes.pop()


def _unrolled(
    cell: Any, inputs: Any, columns: list[Any], state: Any, lengths: Any
) -> tuple[Any, Any]:
    """The outputs of steps with ops of their own, stacked, and the last state."""
    steps = columns[0].shape.with_rank_at_least(2)[0].value
    if not steps:
        raise ValueError(f"unroll=True needs a number of steps that is known, got {columns[0]}")
    outputs = []
    opened = get_variable_scope()
    rows = zip(*(unstack(column, steps) for column in columns), strict=True)
    for time, row in enumerate(rows):
        if time:
            opened.reuse_variables()
        output, state = stepped(cell, packed(inputs, row), state, time, lengths)
        outputs.append(output)
    parts = zip(*map(flat, outputs), strict=True)
    return packed(outputs[0], [stack(list(column)) for column in parts]), state


def _looped(
    cell: Any, columns: Any, state: Any, lengths: Any, dtype: Any, parallel_iterations: int
) -> tuple[Any, Any]:
    """The outputs of steps in a loop, stacked, and the last state."""
    sizes = output_size_of(cell)
    slices = Slices(columns)
    dtypes = [as_dtype(dtype).base_dtype] * len(flat(sizes))
    stacks = Stacks(dtypes, slices.number, gather(shape(flat(columns)[0]), 1))
    last = slices.number
    if lengths is not None and lengths.shape.num_elements() != 0:
        # One step at least, as in TensorFlow: then the shape of what is not computed is known.
        last = minimum(last, maximum(1, reduce_max(lengths)))

    def body(time: Any, lists: Any, before: Any) -> Any:
        output, after = stepped(cell, slices.at(time), before, time, lengths)
        parts = flat(output)
        if len(parts) != len(flat(sizes)):
            raise ValueError(
                f"output_size of the cell is {sizes}, and it returned {len(parts)} outputs"
            )
        for leaf, size in zip(parts, flat(sizes), strict=True):
            leaf.set_shape([None, *dims_of(size)])
        return time + 1, stacks.put(lists, time, parts), packed(before, flat(after))

    start = (constant(0, name="time"), stacks.empty(), state)
    with name_scope(None, "while") as inner:
        _, lists, state = built_while(
            lambda time, *_: less(time, last),
            body,
            start,
            inner,
            maximum_iterations=slices.number,
            parallel_iterations=parallel_iterations,
        )
    return packed(sizes, stacks.stacked(lists)), state


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
        >>> with td.Graph().as_default():
        ...     cells = [td.nn.rnn_cell.GRUCell(size) for size in (3, 2)]
        ...     x = td.ones([2, 5, 4])
        ...     (fw, bw), _ = td.nn.bidirectional_dynamic_rnn(*cells, x, dtype=td.float32)
        ...     fw.shape.as_list(), bw.shape.as_list()
        ([2, 5, 3], [2, 5, 2])
    """
    time, batch = (0, 1) if time_major else (1, 0)

    def backward(tensor: Any) -> Any:
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
            leaves = [backward(convert_to_tensor(leaf)) for leaf in flat(inputs)]
            back, state_bw = dynamic_rnn(
                cell_bw, packed(inputs, leaves), sequence_length, initial_state_bw, *tail, opened
            )
    back = packed(back, [backward(leaf) for leaf in flat(back)])
    return (ahead, back), (state_fw, state_bw)
