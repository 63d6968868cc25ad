"""Rules of all ops of TensorFlow Lite that are supported."""

from __future__ import annotations

from . import arrays, control_flow, custom, elementwise, layers, recurrent
from .call import Rule
from .contents import Op

_RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **arrays.RULES,
    **layers.RULES,
    **recurrent.RULES,
    **control_flow.RULES,
}
_CUSTOM: dict[str, Rule] = {**layers.CUSTOM, **custom.CUSTOM}


def rule_of(op: Op) -> Rule | None:
    """The rule of an op; None if there is none.

    Raises:
        MalformedError: it is an op of TensorFlow, and does not state which.
    """
    if not op.is_custom:
        return _RULES.get(op.type)
    if op.type.startswith(custom.FLEX) and op.type not in _CUSTOM:
        return custom.FLEX_RULE if custom.flex_type(op.custom) else None
    return _CUSTOM.get(op.type)
