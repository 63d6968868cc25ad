"""Gradients of `ops/data`: elements of datasets count as constant, as in TensorFlow."""

from __future__ import annotations

from ..common.rule_tables import not_differentiable

not_differentiable("IteratorGetNext", "IteratorGetNextSync", "ReduceDataset")
