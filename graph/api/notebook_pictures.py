"""Pictures of graphs in notebooks, and the registry of the function that draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_offers: list[Callable[[], Callable[[Any], str]]] = []


def offer_pictures(load: Callable[[], Callable[[Any], str]]) -> None:
    """Registers the loader of the function that renders a graph as HTML."""
    _offers[:] = [load]


class PicturedGraph:
    """The part of a graph that notebooks display."""

    def _repr_html_(self) -> str | None:
        """A small picture, for a notebook."""
        return _offers[0]()(self) if _offers else None
