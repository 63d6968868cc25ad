"""Gradients of `ops/data`: what comes out of a dataset counts as constant, as in TensorFlow."""

from __future__ import annotations

from ..common.rule_tables import not_differentiable

not_differentiable("IteratorGetNext", "IteratorGetNextSync", "ReduceDataset")
