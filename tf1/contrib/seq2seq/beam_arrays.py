"""Per-step records of a beam search, in the order of the sequences that it returns."""

from __future__ import annotations

from typing import Any

from ....graph.convert import convert_to_tensor
from ....ops.array.broadcast import broadcast_to
from ....ops.array.ranges import range as numbers_in
from ....ops.array.reshape import reshape
from ....ops.array.shapes import shape
from ....ops.array.transpose import transpose
from ....ops.indexing.gather import gather
from ....ops.indexing.masks import sequence_mask
from ....ops.math.where import where_v2
from ....ops.nn.gather_tree import gather_tree

public = {"td.contrib.seq2seq": "gather_tree_from_array"}


def gather_tree_from_array(t: Any, parent_ids: Any, sequence_length: Any) -> Any:
    """Reorders what each step recorded to follow the sequences of a beam search.

    Args:
        t: `[time, batch, beam, …]` or `[time, batch * beam, …]`.
        parent_ids: the beam that each one continues, int32 `[time, batch, beam]`.
        sequence_length: number of steps of each row, int32 `[batch]`.

    Returns:
        A Tensor like `t`, each beam of which belongs to one sequence.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kept, parents = [[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]]
        ...     made = td.contrib.seq2seq.gather_tree_from_array(kept, parents, [2])
        ...     print(session.run(made)[:, 0])
        [[2 1]
         [3 4]]
    """
    parent_ids = convert_to_tensor(parent_ids, "int32")
    width = parent_ids.shape[2].value or shape(parent_ids)[2]
    own = broadcast_to(numbers_in(width), shape(parent_ids))
    # No index of a beam equals the end token, so no beam ends a sequence.
    order = gather_tree(own, parent_ids, sequence_length, width + 1)
    inside = transpose(sequence_mask(sequence_length, shape(parent_ids)[0]))
    order = where_v2(inside[:, :, None], order, own)
    tensor = convert_to_tensor(t)
    steps = shape(order)
    kept = reshape(tensor, [steps[0] * steps[1], steps[2], -1])
    gathered = reshape(gather(kept, reshape(order, [-1, steps[2]]), batch_dims=1), shape(tensor))
    gathered.set_shape(tensor.shape)
    return gathered
