"""Steps of a cell along time: initial state, one step, and masking past the end of a row."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...ops.array.cast import cast
from ...ops.array.constants import zeros_like
from ...ops.array.shapes import shape
from ...ops.array.transpose import transpose
from ...ops.common.structures import flat, packed
from ...ops.math.comparison import less
from ...ops.math.where import where
from .rnn_cell import RNNCell


def checked_cell(cell: Any) -> None:
    """Checks that something is a cell.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(cell, RNNCell) and not callable(cell):
        raise TypeError(f"cell must be an RNNCell, got {cell!r}")


def begun(cell: Any, initial_state: Any, batch_source: Any, axis: int, dtype: Any) -> Any:
    """The first state: that which is given, or zeros.

    Args:
        cell: the cell.
        initial_state: the state, or None.
        batch_source: an input.
        axis: its dimension of the batch.
        dtype: the dtype of the zeros.

    Raises:
        TypeError: the cell is none.
        ValueError: there is neither a state nor a dtype.
    """
    checked_cell(cell)
    if initial_state is not None:
        leaves = [convert_to_tensor(leaf) for leaf in flat(initial_state)]
        return packed(initial_state, leaves)
    if dtype is None:
        raise ValueError("without initial_state, dtype must be given: write dtype=td.float32")
    size = batch_source.shape.with_rank_at_least(axis + 1)[axis].value
    batch_size = shape(batch_source)[axis] if size is None else size
    first = getattr(cell, "get_initial_state", None)  # cells that have none have zero_state
    if first is not None:
        return first(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def output_size_of(cell: Any) -> Any:
    """The structure of the sizes of a cell's outputs.

    Raises:
        TypeError: the cell has no `output_size`.
    """
    size = getattr(cell, "output_size", None)
    if size is None:
        raise TypeError(f"cell must be an RNNCell with output_size, got {cell!r}")
    return size


def lengths_of(sequence_length: Any) -> Any:
    """The lengths as a tensor of int32, as the numbers of steps are.

    Raises:
        ValueError: they are not a vector.
    """
    if sequence_length is None:
        return None
    lengths = convert_to_tensor(sequence_length)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(f"sequence_length must be a vector, got shape {lengths.shape}")
    return cast(lengths, "int32")


def stepped(cell: Any, inputs: Any, state: Any, time: Any, lengths: Any) -> tuple[Any, Any]:
    """The output and the state after a step; past the end of a row zeros, and the state before.

    Args:
        cell: the cell.
        inputs: those of the step.
        state: the state before.
        time: the number of the step.
        lengths: how many steps each row has, or None.

    Raises:
        ValueError: the cell returned another structure of states.
    """
    output, after = cell(inputs, state)
    if len(flat(after)) != len(flat(state)):
        raise ValueError(
            f"the cell was given {len(flat(state))} state tensors and returned {len(flat(after))}"
        )
    if lengths is None:
        return output, after
    alive = less(time, lengths)
    outputs = [where(alive, leaf, zeros_like(leaf)) for leaf in flat(output)]
    pairs = zip(flat(after), flat(state), strict=True)
    states = [where(alive, new, old) if new.shape.rank != 0 else new for new, old in pairs]
    return packed(output, outputs), packed(state, states)


def turned(tensor: Any) -> Any:
    """The tensor with time and batch in each other's place.

    Raises:
        ValueError: its rank is unknown.
    """
    rank = tensor.shape.with_rank_at_least(2).rank
    if rank is None:
        raise ValueError(f"inputs along time must have a known rank, got {tensor}")
    return transpose(tensor, [1, 0, *range(2, rank)])
