"""Softmax along the axis of rows in steps: maximum and sum of exponentials, then each row."""

from __future__ import annotations

from ...graph.node import Tensor
from ...protos.dtypes import DType, float32
from ...shape_inference.split_parts import SplitContext
from ..array.cast import cast
from ..math.arithmetic import multiply, negative, subtract
from ..math.division import realdiv
from ..math.exponentials import exp, log
from ..math.reductions import reduce_max, reduce_sum


def _shifted(logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The logits less the greatest, their powers, and the sums of these; of wide numbers."""
    wide = cast(logits, float32) if logits.dtype.size == 2 else logits
    shifted = subtract(wide, reduce_max(wide, -1, keepdims=True))
    powers = exp(shifted)
    return shifted, powers, reduce_sum(powers, -1, keepdims=True)


def _narrow(result: Tensor, dtype: DType) -> Tensor:
    return result if result.dtype is dtype else cast(result, dtype)


def softmax_steps(c: SplitContext, logits: Tensor) -> list[Tensor]:
    """Substitute for a softmax whose classes are the rows."""
    _, powers, total = _shifted(logits)
    return [_narrow(realdiv(powers, total), logits.dtype)]


def log_softmax_steps(c: SplitContext, logits: Tensor) -> list[Tensor]:
    """Substitute for the logarithm of such a softmax."""
    shifted, _, total = _shifted(logits)
    return [_narrow(subtract(shifted, log(total)), logits.dtype)]


def cross_entropy_steps(c: SplitContext, features: Tensor, labels: Tensor) -> list[Tensor]:
    """Substitute for the cross entropy of such a softmax, and its gradient."""
    shifted, powers, total = _shifted(features)
    shares = realdiv(powers, total)
    wanted = _narrow(labels, shifted.dtype)
    loss = negative(reduce_sum(multiply(wanted, subtract(shifted, log(total))), -1))
    gradient = subtract(shares, wanted)
    return [_narrow(loss, features.dtype), _narrow(gradient, features.dtype)]
