"""Gradients of `ops/queues`: what comes out of a queue counts as constant, as in TensorFlow."""

from __future__ import annotations

from ..kit.rule_tables import not_differentiable

not_differentiable("QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2")
