"""History of Keras tensors: the layer and inputs of each, from which models are traced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...graph.graph import Graph
from ...graph.node import Tensor
from ...ops.common.nest import flatten


class LayerCall(NamedTuple):
    """A call of a layer: what it took, and what it gave."""

    layer: Any
    inputs: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    outputs: Any


_calls: WeakKeyDictionary[Graph, dict[Tensor, LayerCall]] = WeakKeyDictionary()
_masks: WeakKeyDictionary[Graph, dict[Tensor, Any]] = WeakKeyDictionary()


def note_call(call: LayerCall) -> None:
    """Notes a call by the tensors that it gave."""
    for tensor in flatten(call.outputs):
        if isinstance(tensor, Tensor):
            _calls.setdefault(tensor.graph, {})[tensor] = call


def call_of(tensor: Tensor) -> LayerCall | None:
    """The call that gave a tensor; None if no layer did."""
    return _calls.get(tensor.graph, {}).get(tensor)


def note_mask(tensor: Tensor, mask: Any) -> None:
    """Notes which steps of a tensor count."""
    _masks.setdefault(tensor.graph, {})[tensor] = mask


def mask_of(tensor: Tensor) -> Any:
    """Mask of the valid steps of a tensor: a bool tensor, or None if all are valid."""
    return _masks.get(tensor.graph, {}).get(tensor)
