"""Gradients of `ops/control_flow`: why none pass through what is decided in the run."""

from __future__ import annotations

from ..kit.rule_tables import undefined

undefined(
    "which branch is taken is known to the run alone; td.where of both has a gradient",
    *("Case", "If", "Merge", "RefMerge", "RefSwitch", "StatelessCase", "StatelessIf"),
    *("Switch", "_SwitchN"),
)
undefined(
    "how often a loop turns is known to the run alone; a loop that Python unrolls has a gradient",
    *("Enter", "Exit", "IrregularFrame", "NextIteration", "RefEnter", "RefExit"),
    *("RefNextIteration", "StatelessWhile", "While"),
)
undefined(
    "a call that could not be replaced by the function's own ops is not looked into",
    "PartitionedCall",
    "StatefulPartitionedCall",
)
