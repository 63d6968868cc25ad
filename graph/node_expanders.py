"""Expanders: functions that replace nodes of some op types by other nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from .api.late_imports import late_import

if TYPE_CHECKING:
    from ..protos.messages import FunctionDef, GraphDef, NodeDef

    Expander = Callable[[NodeDef, Mapping[str, FunctionDef]], "Expanded | None"]


class Expanded(NamedTuple):
    """Expansion of a node.

    Args:
        graph_def: the nodes. Those named in `inputs` are placeholders.
        inputs: for each data input of the node, the name of its placeholder.
        outputs: for each output of the node, a tensor, as an input of a NodeDef.
        dtypes: those of the outputs, as numbers of the wire.
    """

    graph_def: GraphDef
    inputs: list[str]
    outputs: list[str]
    dtypes: list[int]


_EXPANDERS = {"SymbolicGradient": "symbolic gradient"}  # keys of `LATE_IMPORTS`, by op type


def find(op_type: str) -> Expander | None:
    """Expander of an op type, or None.

    It returns None to leave a node unchanged, for an op that is not supported.
    """
    use = _EXPANDERS.get(op_type)
    return late_import(use) if use is not None else None
