"""Losses of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import selected
from .nodes import apply, cast, expand, number, rank_of, reduced, squeeze, transpose
from .tensors import MalformedError


def _loss(c: Call, scores: Tensor) -> Tensor:
    """The negative log likelihood of labels, given the logarithms of probabilities."""
    labels, rank = cast(c[1], dtypes.int64), rank_of(scores)
    kept: Any = None
    if "ignore_index" in c.attrs:
        kept = apply("NotEqual", labels, np.int64(c.int("ignore_index")))
        labels = selected(kept, labels, np.int64(0))
    last = transpose(scores, [0, *range(2, rank), 1]) if rank > 2 else scores
    places = expand(labels, [rank - 1])
    losses = squeeze(apply("GatherV2", last, places, np.int32(rank - 1), batch_dims=rank - 1), [-1])
    losses = apply("Neg", losses)
    weights: Any = apply("GatherV2", c[2], labels, np.int32(0)) if c.has(2) else None
    if kept is not None:
        ones = apply("OnesLike", losses) if weights is None else weights
        weights = selected(kept, ones, number(losses, 0))
    if weights is not None:
        losses = apply("Mul", losses, weights)
    reduction = c.text("reduction", "mean")
    everything = range(rank - 1)
    if reduction == "none":
        return losses
    if reduction not in ("sum", "mean"):
        raise MalformedError(f"reduction must be none, sum or mean, got {reduction!r}")
    if reduction == "sum" or weights is not None:
        total = reduced("Sum", losses, everything)
        if reduction == "sum":
            return total
        return apply("RealDiv", total, reduced("Sum", weights, everything))
    return reduced("Mean", losses, everything)


def _negative_log_likelihood(c: Call) -> Tensor:
    return _loss(c, c[0])


def _softmax_cross_entropy(c: Call) -> Any:
    scores, rank = c[0], rank_of(c[0])
    if rank > 2:
        order = [0, *range(2, rank), 1]
        last = apply("LogSoftmax", transpose(scores, order))
        logarithms = transpose(last, [0, rank - 1, *range(1, rank - 1)])
    else:
        logarithms = apply("LogSoftmax", scores)
    return [_loss(c, logarithms), logarithms]


RULES: dict[str, Rule] = {
    "NegativeLogLikelihoodLoss": _negative_log_likelihood,
    "SoftmaxCrossEntropyLoss": _softmax_cross_entropy,
}
