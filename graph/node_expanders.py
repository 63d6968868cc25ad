"""Registry of expanders: functions that replace nodes of some op types by other nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

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


_expanders: dict[str, Expander] = {}
_loaders: dict[str, Callable[[], None]] = {}


def offer(op_type: str, loader: Callable[[], None]) -> None:
    """Registers a lazily imported expander for nodes of a type."""
    _loaders[op_type] = loader


def expander_of(op_type: str) -> Callable[[Expander], Expander]:
    """Decorator: registers a function that expands a node, given the functions of its library.

    The function returns None to leave the node unchanged, for an op that is not supported.
    """

    def registered(expander: Expander) -> Expander:
        _expanders[op_type] = expander
        return expander

    return registered


def find(op_type: str) -> Expander | None:
    """Expander of an op type, or None."""
    if op_type not in _loaders:
        return None
    _loaders[op_type]()
    return _expanders[op_type]
