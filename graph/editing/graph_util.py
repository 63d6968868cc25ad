"""Editing graphs, under the name that TensorFlow gives to this: `td.graph_util`."""

from __future__ import annotations

from ..importing.function_inlining import inline_functions as inline_functions
from ..surface.namespace import public_names as _public_names
from .difference import Difference as Difference, diff as diff
from .folding import fold_constants as fold_constants
from .freezing import convert_variables_to_constants as convert_variables_to_constants
from .graph_editing import (
    extract_sub_graph as extract_sub_graph,
    remove_training_nodes as remove_training_nodes,
    rename as rename,
    rewire as rewire,
    strip as strip,
)


def __dir__() -> list[str]:
    return _public_names(globals())
