"""Gradients of `ops/lists`: why none pass through arrays of tensors."""

from __future__ import annotations

from ..kit.rule_tables import undefined

_VERSIONED = "Concat Gather Read Scatter Split Write"

undefined(
    "what a TensorArray holds is known to the run alone; td.stack, td.unstack, td.concat and "
    "td.split have gradients",
    *[f"TensorArray{name}{version}" for name in _VERSIONED.split() for version in ("", "V2", "V3")],
    "TensorArrayGradV3",
    "TensorArrayGradWithShape",
    "TensorArrayPack",
    "TensorArrayUnpack",
)
