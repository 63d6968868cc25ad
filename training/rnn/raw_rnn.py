"""A cell along time controlled by a function: `td.nn.raw_rnn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...ops.array.constants import constant, zeros
from ...ops.array.shapes import shape
from ...ops.common.structures import flat, packed
from ...ops.control_flow.building import built_while
from ...ops.lists.tensor_array import TensorArray
from ...ops.math.logical import logical_not, logical_or
from ...ops.math.reductions import reduce_all
from ...ops.math.where import where
from ...ops.variable_scopes.variable_scope import variable_scope
from ...shape_inference.tensor_shape import TensorShape
from .rnn_cell import dims_of
from .steps import checked_cell, output_size_of

public = {"td.nn": "raw_rnn"}


def raw_rnn(
    cell: Any,
    loop_fn: Callable[[Any, Any, Any, Any], Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop controlled by `loop_fn`: inputs, emitted outputs, and the end.

    The function is called before the first step with `loop_fn(0, None, None, None)`, and after
    each step with the number of the next one, the output of the cell, its state, and what it
    returned last itself. It returns five things:

    - which rows are at their end, bools `[batch]`; their states stay and what they emit is 0;
    - the next input;
    - the next state of the cell, before the first step the first one;
    - what is emitted, before the first step None or tensors of the dtypes and shapes (without
      the batch) that each step emits; None means the output of the cell;
    - something of its own for the next call, a structure of tensors and TensorArrays, or None.

    Args:
        cell: the cell.
        loop_fn: the function.
        parallel_iterations: kept for TensorFlow, as for `td.while_loop`.
        swap_memory: accepted for TensorFlow's sake.
        scope: the variable scope; by default "rnn".

    Returns:
        A TensorArray (or a structure of them) of what the steps emitted, the last state, and what
        `loop_fn` returned last for itself.

    Raises:
        TypeError: `cell` is none, or `loop_fn` cannot be called.
        ValueError: `loop_fn` gives other structures or shapes than in the first call.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     cell = td.nn.rnn_cell.BasicRNNCell(2)
        ...
        ...     def loop_fn(time, output, state, loop_state):
        ...         state = cell.zero_state(3, td.float32) if state is None else state
        ...         return td.fill([3], time >= 4), td.ones([3, 1]), state, output, None
        ...
        ...     emitted, state, _ = td.nn.raw_rnn(cell, loop_fn)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(emitted.stack()).shape
        (4, 3, 2)
    """
    checked_cell(cell)
    if not callable(loop_fn):
        raise TypeError(f"loop_fn must be callable, got {loop_fn!r}")
    with variable_scope(scope or "rnn"):
        time = constant(0, name="time")
        finished, inputs, state, like, own = loop_fn(time, None, None, None)
        keeps = own is not None
        own = own if keeps else constant(0)
        inputs = packed(inputs, [convert_to_tensor(leaf) for leaf in flat(inputs)])
        state = packed(state, [_tensor(leaf) for leaf in flat(state)])
        first = flat(inputs)[0]
        known = first.shape.with_rank_at_least(1)[0].value
        batch = shape(first)[0] if known is None else known
        form, likes = _emitted(cell, like, state)
        arrays = [
            TensorArray(
                dtype,
                size=0,
                dynamic_size=True,
                element_shape=TensorShape([known]).concatenate(size),
                tensor_array_name=f"rnn_output_{i}",
            )
            for i, (dtype, size) in enumerate(likes)
        ]

        def body(time: Any, finished: Any, inputs: Any, arrays: Any, before: Any, own: Any) -> Any:
            output, after = cell(inputs, before)
            packed(before, flat(after))
            answer = loop_fn(time + 1, output, after, own if keeps else None)
            ended, inputs, after, emitted, next_own = answer
            parts = flat(output if emitted is None else emitted)
            if len(parts) != len(likes):
                raise ValueError(
                    f"loop_fn must emit {len(likes)} tensors as in its first call, got {len(parts)}"
                )
            made = []
            for array, part, (dtype, size) in zip(arrays, parts, likes, strict=True):
                nothing = zeros([batch, *dims_of(size)], dtype)
                tensor = convert_to_tensor(part, dtype)
                made.append(array.write(time, where(finished, nothing, tensor)))
            pairs = zip(flat(before), flat(after), strict=True)
            kept = [_unless(finished, old, new) for old, new in pairs]
            own = next_own if keeps and next_own is not None else own
            both = logical_or(ended, finished)
            return time + 1, both, inputs, made, packed(before, kept), own

        with name_scope(None, "while") as inner:
            _, _, _, arrays, state, own = built_while(
                lambda time, finished, *_: logical_not(reduce_all(finished)),
                body,
                (time, finished, inputs, arrays, state, own),
                inner,
                parallel_iterations=parallel_iterations or 32,
            )
    return packed(form, arrays), state, own if keeps else None


def _tensor(leaf: Any) -> Any:
    return leaf if isinstance(leaf, TensorArray) else convert_to_tensor(leaf)


def _emitted(cell: Any, like: Any, state: Any) -> tuple[Any, list[tuple[Any, TensorShape]]]:
    """The structure of what is emitted, and dtype and shape (without the batch) of each part."""
    if like is None:
        form = output_size_of(cell)
        dtype = flat(state)[0].dtype.base_dtype
        return form, [(dtype, TensorShape(dims_of(size))) for size in flat(form)]
    parts = [convert_to_tensor(leaf) for leaf in flat(like)]
    return like, [(part.dtype.base_dtype, part.shape) for part in parts]


def _unless(finished: Any, old: Any, new: Any) -> Any:
    """The new part of a state, and for rows at their end the old one."""
    if isinstance(old, TensorArray) or old.shape.rank == 0:
        return new
    return where(finished, old, new)
