"""The pictures of graphs that notebooks show, and who knows how to draw them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_offers: list[Callable[[], Callable[[Any], str]]] = []


def offer_pictures(load: Callable[[], Callable[[Any], str]]) -> None:
    """Says what brings in the function that makes HTML of a graph."""
    _offers[:] = [load]


class PicturedGraph:
    """The part of a graph that notebooks show."""

    def _repr_html_(self) -> str | None:
        """A small picture, for a notebook."""
        return _offers[0]()(self) if _offers else None
