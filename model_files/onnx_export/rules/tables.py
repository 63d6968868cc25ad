"""Lookup tables with constant content: label encoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....shape_inference.protocols import Array
from ..writing.calls import Call
from ..writing.element_types import ML_DOMAIN
from ..writing.registry import rule
from ..writing.values import Value

_FILLERS = ("InitializeTable", "LookupTableImport")
_DIRECT = {"int64": "int64s", "string": "strings", "float32": "floats"}


class _Table:
    """The content of a table; None if it is empty."""

    def __init__(self, keys: Array | None, values: Array | None) -> None:
        self.keys = keys
        self.values = values


@rule(
    "HashTable HashTableV2 MutableHashTable MutableHashTableV2 MutableHashTableOfTensors "
    "MutableHashTableOfTensorsV2 MutableDenseHashTable MutableDenseHashTableV2",
    nodes="LabelEncoder",
)
def _table(c: Call) -> _Table:
    fillers = [op for op in c.op.outputs[0].consumers() if op.type.removesuffix("V2") in _FILLERS]
    if not fillers:
        if c.op.type.startswith("HashTable"):
            c.refuse(
                "nothing in the graph fills it",
                "pass the model, or call this in the session that has initialized it",
            )
        return _Table(None, None)
    if len(fillers) > 1:
        c.refuse("several ops fill the table")
    keys, values = (c.scope.constant_of(tensor) for tensor in fillers[0].inputs[1:3])
    if keys is None or values is None:
        c.refuse("its content is computed in the graph")
    return _Table(keys, values)


@rule("LookupTableFind LookupTableFindV2", nodes="LabelEncoder")
def _find(c: Call) -> Any:
    table, keys, default = c.object(), c.inputs[1], c.inputs[2]
    values = c.op.outputs[0].dtype
    if table.keys is None:
        return c.expand(default, c.shape_of(keys))
    if table.keys.ndim != 1:
        c.refuse("keys that are vectors")
    kind = keys.dtype.name
    if kind not in _DIRECT:
        if not keys.dtype.is_integer:
            c.refuse(f"LabelEncoder takes no keys of {kind}")
        keys, kind = c.cast(keys, "int64"), "int64"
    known = c.const(2)
    listed = table.keys.tolist()
    if known is not None and known.ndim == 0 and values.name in ("int64", "string", "int32"):
        of = "string" if values.name == "string" else "int64"
        return c.cast(
            _encoded(c, keys, kind, listed, table.values.tolist(), of, known.item()), values
        )
    places = _encoded(c, keys, kind, listed, list(range(len(listed))), "int64", -1)
    missing = places < 0
    rank = table.values.ndim - 1
    found = c.node(
        "Gather", c.constant(table.values, values), c.node("Max", places, c.constant(0, "int64"))
    )
    lead = list(range(-rank, 0))
    return c.where(c.unsqueeze(missing, *lead) if rank else missing, default, found)


def _encoded(
    c: Call, keys: Value, kind: str, listed: list[Any], values: list[Any], to: str, default: Any
) -> Value:
    if not listed:
        return c.expand(c.constant(default, to), c.shape_of(keys))
    options = {f"keys_{_DIRECT[kind]}": listed, f"values_{_DIRECT[to]}": values}
    options["default_int64" if to == "int64" else "default_string"] = default
    return c.node("LabelEncoder", keys, domain=ML_DOMAIN, dtypes=[to], **options)


@rule("LookupTableSize LookupTableSizeV2", nodes="a constant")
def _size(c: Call) -> Value:
    keys = c.object().keys
    return c.constant(np.int64(0 if keys is None else len(keys)))
