"""`td.contrib.seq2seq.gather_tree`: backtracking of beam search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape

public = {"td.contrib.seq2seq": "gather_tree"}

GATHER_TREE = OpDef(
    "GatherTree",
    "step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T -> beams: T",
    "T: {int32}",
)


@GATHER_TREE.shape
def _gather_tree_shape(c: ShapeContext) -> TensorShape:
    steps, parents = c.shape("step_ids", rank=3), c.shape("parent_ids", rank=3)
    shape = c.merged("step_ids and parent_ids", [steps, parents])
    lengths: Any = c.shape("max_sequence_lengths", rank=1).sizes
    c.shape("end_token", rank=0)
    sizes: Any = shape.sizes
    batch = c.same_size("the batch of step_ids and of max_sequence_lengths", sizes[1], lengths[0])
    return TensorShape.of((sizes[0], batch, sizes[2]))


@GATHER_TREE.fresh_kernel
def _gather_tree_kernel(c: KernelContext) -> Kernel:
    return _gathered


def _gathered(step_ids: Array, parent_ids: Array, lengths: Array, end_token: Array) -> Array:
    if step_ids.ndim != 3 or step_ids.shape != parent_ids.shape:
        raise ValueError(
            "step_ids and parent_ids must have one shape [time, batch, beam], got "
            f"{list(step_ids.shape)} and {list(parent_ids.shape)}"
        )
    if lengths.shape != step_ids.shape[1:2] or end_token.ndim:
        raise ValueError(
            f"max_sequence_lengths must have shape [{step_ids.shape[1]}] and end_token [], got "
            f"{list(lengths.shape)} and {list(end_token.shape)}"
        )
    steps, batch, width = step_ids.shape
    beams = np.full_like(step_ids, end_token)
    rows = np.arange(batch)[:, None]
    at = np.broadcast_to(np.arange(width), (batch, width))
    for t in reversed(range(steps)):
        alive = (t < lengths)[:, None]
        beams[t] = np.where(alive, step_ids[t, rows, at], end_token)
        parents = parent_ids[t, rows, at]
        outside = alive & ((parents < 0) | (parents >= width))
        if t and outside.any():
            row, beam = np.argwhere(outside)[0].tolist()
            raise ValueError(
                f"parent_ids[{t},{row},{at[row, beam]}] = {parents[row, beam]} is not in "
                f"[0, {width})"
            )
        at = np.where(alive & ~outside, parents, at)
    # Behind the first end of a sequence there is nothing but ends.
    ended = np.logical_or.accumulate(beams == end_token, axis=0)
    beams[1:][ended[:-1]] = end_token
    return beams


def gather_tree(
    step_ids: Any,
    parent_ids: Any,
    max_sequence_lengths: Any,
    end_token: Any,
    name: str | None = None,
) -> Tensor:
    """The whole sequences that a beam search has found, from what it chose in each step.

    Args:
        step_ids: what was chosen for each beam, int32 `[time, batch, beam]`.
        parent_ids: the beam that each one continues, int32 `[time, batch, beam]`.
        max_sequence_lengths: how many steps each row has, int32 `[batch]`.
        end_token: what ends a sequence, an int32 scalar; it also fills what is behind an end.
        name: a name for the op.

    Returns:
        A Tensor like `step_ids`, each beam of which is one sequence.

    Raises:
        ValueError: a shape does not fit. In the run, as an InvalidArgumentError, also where a
            parent is not a beam.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     steps, parents = [[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]]
        ...     print(session.run(td.contrib.seq2seq.gather_tree(steps, parents, [2], 9))[:, 0])
        [[2 1]
         [3 4]]
    """
    return GATHER_TREE(step_ids, parent_ids, max_sequence_lengths, end_token, name=name)
