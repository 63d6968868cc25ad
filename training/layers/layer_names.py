"""Names of layers and other objects of Keras, which are unique in a graph."""

from __future__ import annotations

import re
from collections import Counter
from weakref import WeakKeyDictionary

from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph

_ILLEGAL, _BEGINNING = re.compile(r"[^A-Za-z0-9_./-]"), re.compile("[A-Za-z0-9.]")
_counts: WeakKeyDictionary[Graph, Counter[str]] = WeakKeyDictionary()


def numbered(word: str, first: int = 0) -> str:
    """A name that no other object of the default graph has; behind it a number, but for 0."""
    count = _counts.setdefault(get_default_graph(), Counter())
    number = first + count[word]
    count[word] += 1
    return f"{word}_{number}" if number else word


def legal_scope(name: str) -> str:
    """The legal name of a scope closest to the name of a layer, which may hold any characters."""
    name = _ILLEGAL.sub("_", name).rstrip("/") or "layer"
    return name if _BEGINNING.match(name) else f"layer{name}"


def forget_names() -> None:
    """Resets the name counters of the default graph."""
    _counts.pop(get_default_graph(), None)
