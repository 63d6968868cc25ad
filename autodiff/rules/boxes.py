"""Gradients of `ops/boxes`: there are none."""

from __future__ import annotations

from ..common.rule_tables import not_differentiable, undefined

not_differentiable(
    "DrawBoundingBoxes", "SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2"
)
undefined(
    "TensorFlow has none either",
    "CombinedNonMaxSuppression",
    "DrawBoundingBoxesV2",
    "NonMaxSuppressionV5",
    "StatelessSampleDistortedBoundingBox",
)
