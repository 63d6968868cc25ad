"""Replacements of tensors of an imported GraphDef."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..convert import convert_to_tensor
from ..graph import Graph
from ..node import Operation, Tensor
from ..node_def import full_input


def mapped_inputs(graph: Graph, input_map: Any, scope: str) -> dict[str, Tensor | Operation]:
    """Converts an `input_map` to full names and tensors of the graph.

    Values that are not tensors become constants in the scope `_inputs`, as in TensorFlow.

    Args:
        graph: the graph.
        input_map: the argument of `import_graph_def`.
        scope: the scope of the import, which is the one in force.

    Raises:
        TypeError: it is not a dict from names to values that convert to tensors.
        ValueError: a tensor is of another graph; or a value is not a tensor, and there is no scope.
    """
    if not isinstance(input_map, Mapping):
        raise TypeError(f"input_map must be a dict, got {type(input_map).__name__!r}")
    mapped = {full_input(as_name(key, "input_map")): value for key, value in input_map.items()}
    loose = [key for key, value in mapped.items() if not _is_element(key, value)]
    if loose and not scope:
        raise ValueError(
            f"input_map[{loose[0]!r}] must be a tensor, as the name of the import is '', got "
            f"{type(mapped[loose[0]]).__name__!r}"
        )
    if loose:
        with graph.name_scope("_inputs"):
            mapped.update({key: convert_to_tensor(mapped[key]) for key in loose})
    return {key: graph.as_graph_element(value) for key, value in mapped.items()}


def as_name(name: Any, what: str) -> str:
    """A name in `what`, which may come as bytes.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(name, bytes):
        return name.decode(errors="replace")
    if not isinstance(name, str):
        raise TypeError(f"the names in {what} must be strings, got {name!r}")
    return name


def _is_element(key: str, value: Any) -> bool:
    return isinstance(value, Tensor) or (key.startswith("^") and isinstance(value, Operation))
