"""Gradients of `ops/datasets`: what comes out of a dataset counts as constant, as in TensorFlow."""

from __future__ import annotations

from ..kit.rule_tables import not_differentiable

not_differentiable("IteratorGetNext", "IteratorGetNextSync", "ReduceDataset")
