"""Versions of ONNX: which can be written, and the default."""

from __future__ import annotations

import operator
from functools import cache
from importlib import import_module
from typing import Any

from .writing.element_types import OLDEST

DEFAULT = 21
"""Newest version that onnxruntime 1.20 of November 2024 runs."""

ML_VERSION = 3
"""Version of ai.onnx.ml, which opset 13 of ONNX has, too."""


def imported_onnx() -> Any:
    """The package `onnx`.

    Raises:
        ImportError: it is not installed.
    """
    try:
        onnx = import_module("onnx")
        import_module("onnx.shape_inference")
        import_module("onnx.checker")
        import_module("onnx.helper")
    except ImportError as error:
        raise ImportError(
            "td.save_onnx needs the package onnx: pip install 'tensordraft[onnx]'"
        ) from error
    return onnx


def checked_opset(opset: int | None) -> int:
    """The version to write.

    Raises:
        ValueError: it is too old, or newer than the package `onnx` knows.
        ImportError: that is not installed.
    """
    newest = imported_onnx().defs.onnx_opset_version()
    if opset is None:
        return min(DEFAULT, newest)
    if not OLDEST <= operator.index(opset) <= newest:
        raise ValueError(
            f"opset = {opset!r} must be an int from {OLDEST} to {newest}, the newest that the "
            "installed onnx has"
        )
    return opset


def ir_version(opset: int) -> int:
    """The version of the file format that belongs to a version of the ops."""
    helper = imported_onnx().helper
    version: int = helper.find_min_ir_version_for([helper.make_opsetid("", opset)])
    return version


@cache
def allowed_types(op_type: str, opset: int, place: int) -> frozenset[str] | None:
    """The types of an input of an op in a version of ONNX; None if the op is not known."""
    defs = imported_onnx().defs
    try:
        schema = defs.get_schema(op_type, opset, "")
    except defs.SchemaError:
        return None
    inputs = list(schema.inputs)
    if not inputs:
        return None
    formal = inputs[min(place, len(inputs) - 1)]
    names = {name for name in formal.types if name.startswith("tensor(")}
    plain = {name[len("tensor(") : -1] for name in names}
    return frozenset({_NAMES.get(name, name) for name in plain})


_NAMES = {"float": "float32", "double": "float64"}
