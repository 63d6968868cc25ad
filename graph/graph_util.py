"""Editing graphs, under the name that TensorFlow gives to this: `td.graph_util`."""

from __future__ import annotations

from .difference import Difference, diff
from .editing import extract_sub_graph, remove_training_nodes, rename, rewire, strip
from .folding import fold_constants
from .freezing import convert_variables_to_constants
from .function_inlining import inline_functions

__all__ = [
    "Difference",
    "convert_variables_to_constants",
    "diff",
    "extract_sub_graph",
    "fold_constants",
    "inline_functions",
    "remove_training_nodes",
    "rename",
    "rewire",
    "strip",
]
