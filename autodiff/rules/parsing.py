"""Gradients of `ops/parsing`: parsed values are constant."""

from __future__ import annotations

from ..common.rule_tables import not_differentiable

not_differentiable(
    *("DecodeCSV", "DecodePaddedRaw", "DecodeRaw", "ParseExample", "ParseExampleV2"),
    *("ParseSingleExample", "ParseSequenceExample", "ParseSequenceExampleV2"),
    *("ParseSingleSequenceExample", "ParseTensor"),
)
