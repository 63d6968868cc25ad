"""Rules of all ops of ONNX that are supported."""

from __future__ import annotations

from . import arrays, elementwise, reductions
from .call import Rule

_RULES: dict[str, dict[str, Rule]] = {
    "": {
        **elementwise.RULES,
        **arrays.RULES,
        **reductions.RULES,
    },
}


def rule_of(domain: str, op_type: str) -> Rule | None:
    """The rule of an op; None if there is none.

    Args:
        domain: its domain; "" for that of ONNX itself.
        op_type: its type.
    """
    return _RULES.get(domain, {}).get(op_type)
