"""Accidental hits: sampled classes that are true classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from .random_state import seed_attrs

public = {"td.nn": "compute_accidental_hits"}
COMPUTE_ACCIDENTAL_HITS = OpDef(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, weights: float",
    "num_true: int, seed: int = 0, seed2: int = 0",
)


@COMPUTE_ACCIDENTAL_HITS.shape
def _hits_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("true_classes", rank=2)
    c.shape("sampled_candidates", rank=1)
    return [TensorShape.of((None,))] * 3


@COMPUTE_ACCIDENTAL_HITS.kernel
def _hits_kernel(c: KernelContext) -> Kernel:
    columns = c.attr("num_true")

    def hits(true_classes: Array, sampled_candidates: Array) -> tuple[Array, ...]:
        if true_classes.ndim != 2 or true_classes.shape[1] != columns:
            raise ValueError(
                f"true_classes must have shape [batch, {columns}], got {list(true_classes.shape)}"
            )
        if sampled_candidates.ndim != 1:
            raise ValueError(
                f"sampled_candidates must have rank 1, got {list(sampled_candidates.shape)}"
            )
        places = {int(candidate): i for i, candidate in enumerate(sampled_candidates.tolist())}
        found = [
            (row, places[candidate])
            for row, line in enumerate(true_classes.tolist())
            for candidate in line
            if candidate in places
        ]
        rows, ids = np.array(found, np.int64).reshape(-1, 2).T
        lowest = np.full(len(found), np.finfo(np.float32).min)
        return rows.astype(np.int32), ids.copy(), lowest

    return fresh(hits)


class Hits(NamedTuple):
    """The hits: a row, a place among the classes drawn, and the lowest number for each."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Hits:
    """Positions of sampled classes that happen to be true classes.

    Args:
        true_classes: the classes that are true, int64 [batch, num_true].
        sampled_candidates: the classes drawn, an int64 vector.
        num_true: how many true ones each example has.
        seed: accepted for TensorFlow's sake.
        name: a name for the op.

    Returns:
        For each hit its row in `true_classes` (int32), its place in `sampled_candidates` (int64)
        and the lowest number of float32, to be added to its logit.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows, places, _ = td.nn.compute_accidental_hits([[1, 2], [3, 9]], [9, 3, 7], 2)
        ...     print(session.run([rows, places]))
        [array([1, 1], dtype=int32), array([1, 0])]
    """
    seeds = seed_attrs(seed)
    hits = COMPUTE_ACCIDENTAL_HITS(
        true_classes, sampled_candidates, num_true=num_true, **seeds, name=name
    )
    return Hits(*hits)
