"""Op types of graph files that stand for other nodes, and who knows how to make these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..protos.messages import FunctionDef, GraphDef, NodeDef

    Expander = Callable[[NodeDef, Mapping[str, FunctionDef]], "Expanded | None"]


class Expanded(NamedTuple):
    """What a node stands for.

    Args:
        graph_def: the nodes. Those named in `inputs` are placeholders.
        inputs: for each data input of the node, the name of the placeholder that stands for it.
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
    """Says that nodes of a type can be expanded, by what `loader` brings in when it is needed."""
    _loaders[op_type] = loader


def expander_of(op_type: str) -> Callable[[Expander], Expander]:
    """Decorator: makes of a node of a type, and the functions of its library, other nodes.

    What it returns is None where the node stays as it is, for an op that is not supported.
    """

    def registered(expander: Expander) -> Expander:
        _expanders[op_type] = expander
        return expander

    return registered


def find(op_type: str) -> Expander | None:
    """The expander of an op type, or None where nobody has offered one."""
    if op_type not in _loaders:
        return None
    _loaders[op_type]()
    return _expanders[op_type]
