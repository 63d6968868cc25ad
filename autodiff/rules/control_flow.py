"""Gradients of `ops/control_flow`: of ops that run functions. Lowered ops have none."""

from __future__ import annotations

from ..bodies.branches import branch_gradient
from ..bodies.loops import loop_gradient
from ..common.rule_tables import gradient_of, undefined

gradient_of("While", "StatelessWhile", asks=True)(loop_gradient)
gradient_of(
    *("If", "StatelessIf", "Case", "StatelessCase", "PartitionedCall", "StatefulPartitionedCall"),
    asks=True,
)(branch_gradient)

undefined(
    "it is part of no loop or conditional, and leaves open what is there and what is not",
    *("Enter", "Exit", "IrregularFrame", "Merge", "NextIteration", "RefEnter", "RefExit"),
    *("RefMerge", "RefNextIteration", "RefSwitch", "Switch", "_SwitchN"),
)
