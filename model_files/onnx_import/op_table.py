"""Rules of all ops of ONNX that are supported."""

from __future__ import annotations

from . import (
    arrays,
    attention,
    control_flow,
    convolution,
    elementwise,
    encoders,
    images,
    indexing,
    linear,
    losses,
    normalization,
    pooling,
    quantized,
    random_numbers,
    recurrent,
    reductions,
    resize,
    sampling,
    sequences,
    signals,
    texts,
    trees,
)
from .call import Rule

_FAMILIES = (
    arrays,
    attention,
    control_flow,
    convolution,
    elementwise,
    images,
    indexing,
    linear,
    losses,
    normalization,
    pooling,
    quantized,
    random_numbers,
    recurrent,
    reductions,
    resize,
    sampling,
    sequences,
    signals,
    texts,
)
_RULES: dict[str, dict[str, Rule]] = {
    "": {name: rule for family in _FAMILIES for name, rule in family.RULES.items()},
    "ai.onnx.ml": {**encoders.RULES, **trees.RULES},
}


def rule_of(domain: str, op_type: str) -> Rule | None:
    """The rule of an op; None if there is none.

    Args:
        domain: its domain; "" for that of ONNX itself.
        op_type: its type.
    """
    return _RULES.get(domain, {}).get(op_type)
