"""Gradients of `ops/queues`: values from queues and accumulators are constant."""

from __future__ import annotations

from ..common.rule_tables import not_differentiable

not_differentiable("QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2")
not_differentiable("ResourceAccumulatorTakeGradient")
