"""Gradients of `ops/tables`: lookups are constant."""

from __future__ import annotations

from ..common.rule_tables import not_differentiable

not_differentiable(
    "LookupTableExport",
    "LookupTableExportV2",
    "LookupTableFind",
    "LookupTableFindV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
)
