"""Fetches of `Session.run`: nested structures of tensors, ops and names, flattened."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..graph.graph import Graph
from ..graph.node import Operation, Tensor
from ..runtime.suggestions import did_you_mean, nearest
from .conversions import conversion_of

_MOST_NAMED = 8


class Fetches:
    """A fetch structure: the distinct elements to compute, and how results fill the structure.

    Args:
        graph: the graph that names are looked up in.
        structure: a Tensor, Operation, SparseTensor, name, or a list, tuple, namedtuple or dict
            of structures.

    Raises:
        TypeError: something in the structure cannot be fetched.
        ValueError: an element is of another graph, may not be fetched, or has no such name.
    """

    __slots__ = ("_rebuild", "elements", "is_element")

    def __init__(self, graph: Graph, structure: Any) -> None:
        positions: dict[Tensor | Operation, int] = {}

        def position(element: Tensor | Operation) -> tuple[int, bool]:
            """Position of the value of `element`, and whether it has been returned already."""
            if not graph.is_fetchable(element):
                raise ValueError(f"{element.name!r} has been marked as not fetchable")
            again = element in positions
            return positions.setdefault(element, len(positions)), again

        try:
            self._rebuild = _take_apart(graph, structure, position)
        except RecursionError:
            raise ValueError("the fetches are nested too deeply, or in themselves") from None
        self.elements = tuple(positions)
        nested = isinstance(structure, (list, tuple, dict))
        self.is_element = not nested and conversion_of(structure) is None

    def rebuild(self, values: Sequence[Any]) -> Any:
        """The structure with the value of each element in its place."""
        return self._rebuild(values)


def _take_apart(
    graph: Graph, structure: Any, position: Callable[[Tensor | Operation], tuple[int, bool]]
) -> Callable[[Sequence[Any]], Any]:
    if isinstance(structure, (list, tuple)):
        parts = [_take_apart(graph, item, position) for item in structure]
        make = getattr(structure, "_make", type(structure))

        def rebuild_sequence(values: Sequence[Any]) -> Any:
            return make([part(values) for part in parts])

        return rebuild_sequence
    if isinstance(structure, dict):
        named = {key: _take_apart(graph, item, position) for key, item in structure.items()}

        template = copy.copy(structure)  # of the same class, and in the same order

        def rebuild_dict(values: Sequence[Any]) -> Any:
            result = copy.copy(template)
            result.update({key: part(values) for key, part in named.items()})
            return result

        return rebuild_dict
    conversion = conversion_of(structure)
    if conversion is not None:
        items, contract = conversion.fetch(structure)
        elements = [_take_apart(graph, item, position) for item in items]

        def rebuild_converted(values: Sequence[Any]) -> Any:
            return contract([element(values) for element in elements])

        return rebuild_converted
    where, again = position(_element(graph, structure))

    def rebuild_element(values: Sequence[Any]) -> Any:
        return values[where]

    def rebuild_copy(values: Sequence[Any]) -> Any:
        value = values[where]
        return value.copy() if isinstance(value, np.ndarray) else value

    return rebuild_copy if again else rebuild_element


def _element(graph: Graph, item: Any) -> Tensor | Operation:
    try:
        return graph.as_graph_element(item)
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"Fetch argument {item!r} cannot be interpreted as a Tensor: {error.args[0]}"
        ) from None
    except TypeError:
        if item is None:
            raise TypeError(
                "Fetch argument None has invalid type 'NoneType': there is nothing to compute; "
                "has a function that makes a tensor forgotten to return it?"
            ) from None
        raise TypeError(
            f"Fetch argument {item!r} has invalid type {type(item).__name__!r}: a fetch is a "
            "Tensor, an Operation, a SparseTensor, a name, or a list, tuple or dict of these"
        ) from None


def feed_pairs(graph: Graph, feed_dict: Mapping[Any, Any]) -> dict[Tensor, Any]:
    """The tensors that a feed dict feeds, with their values; sparse ones in their three parts.

    A key may be a nested tuple of keys; its value then has as many items, nested or not.

    Raises:
        TypeError: a key is of another graph, or cannot be fed.
        ValueError: a tensor may not be fed, or a tuple of keys has a value of another length.
    """
    if not hasattr(feed_dict, "items"):
        raise TypeError(f"feed_dict must be a dict from tensors to values, got {feed_dict!r}")
    pairs: dict[Tensor, Any] = {}
    for keys, values in feed_dict.items():
        for key, value in _spread(keys, values):
            conversion = conversion_of(key)
            if conversion is not None and conversion.feed is not None:
                for part, item in conversion.feed(key, value):
                    pairs[feedable(graph, part)] = item
            else:
                pairs[feedable(graph, key)] = value
    return pairs


def _spread(keys: Any, values: Any) -> Iterable[tuple[Any, Any]]:
    """Flattens a nested tuple of keys and its value to pairs; one pair for any other key."""
    if not isinstance(keys, tuple):
        return [(keys, values)]
    flat_keys, flat_values = list(_leaves(keys)), list(_leaves(values))
    if len(flat_keys) != len(flat_values):
        raise ValueError(
            f"a key of feed_dict has {len(flat_keys)} elements, its value {len(flat_values)}: "
            f"{keys!r}"
        )
    return zip(flat_keys, flat_values, strict=True)


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, (list, tuple)):
        for item in structure:
            yield from _leaves(item)
    else:
        yield structure


def _fed_instead(graph: Graph, key: str) -> str:
    """Suggestion for an unknown name of a feed key; inputs are preferred."""
    name = key.partition(":")[0]
    hint = nearest(name, [tensor.op.name for tensor in graph.inputs])
    hint = hint or did_you_mean(name, [op.name for op in graph.get_operations()])
    names = ", ".join(repr(tensor.name) for tensor in graph.inputs[:_MOST_NAMED])
    return hint or (f"; the inputs are {names}" if names else "; the graph has no inputs")


def feedable(graph: Graph, key: Any) -> Tensor:
    """The tensor that the key of a feed dict means.

    Raises:
        TypeError: it means no tensor of the graph.
        ValueError: it may not be fed.
    """
    try:
        tensor = graph.tensor(key)
    except (KeyError, TypeError, ValueError) as error:
        message = str(error.args[0])
        if isinstance(key, str) and isinstance(error, KeyError):
            message = f"{message.partition('; did you mean')[0]}{_fed_instead(graph, key)}"
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {message}") from None
    if not graph.is_feedable(tensor):
        raise ValueError(
            f"the tensor {tensor.name!r} may not be fed: the graph forbids it, or was built from "
            "its value; td.placeholder_with_default(value, shape) makes a default that may be fed"
        )
    return tensor
