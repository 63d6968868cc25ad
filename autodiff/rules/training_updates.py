"""Gradients of `ops/training_updates`: ops that change variables have none."""

from __future__ import annotations

from ...ops.training_updates.update_ops import UPDATE_OPS
from ..common.rule_tables import not_differentiable

not_differentiable(*UPDATE_OPS)
