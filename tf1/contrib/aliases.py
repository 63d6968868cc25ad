"""Names that `td.contrib` has from elsewhere."""

from __future__ import annotations

from ...formats.checkpoints.checkpoint_reader import list_variables, load_checkpoint, load_variable
from ...graph.constant_value import constant_value
from ...ops.queues.critical_section import CriticalSection
from ...ops.sorting.sort import argsort, sort
from ...ops.statistics.count_nonzero import confusion_matrix
from ...ops.variable_scopes.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from ...protos.tensor_util import make_ndarray, make_tensor_proto

public = {
    "td.contrib.framework": (
        "CriticalSection argsort assert_global_step list_variables load_checkpoint load_variable "
        "sort"
    ),
    "td.contrib.framework, td.contrib.slim": (
        "create_global_step get_global_step get_or_create_global_step"
    ),
    "td.contrib.metrics": "confusion_matrix",
    "td.contrib.util": "constant_value make_ndarray make_tensor_proto",
}

__all__ = [
    "CriticalSection",
    "argsort",
    "assert_global_step",
    "confusion_matrix",
    "constant_value",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "make_ndarray",
    "make_tensor_proto",
    "sort",
]
