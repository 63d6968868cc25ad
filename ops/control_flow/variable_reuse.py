"""Sharing of variables among several calls of a function for one loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...graph.graph import Graph
from ..variable_scopes.variable_scope import get_variable_scope, variable_scope
from ..variables.variable_kinds import scopes_of


class Rounds:
    """Calls of one function: the first makes variables, others find them by the same names.

    Args:
        graph: the graph that the calls build in.
    """

    def __init__(self, graph: Graph) -> None:
        self._scopes = scopes_of(graph)
        self._opened = set(self._scopes.opened)

    @contextmanager
    def round(self, number: int) -> Iterator[None]:
        """Call `number`, from 0 on."""
        if number == 0:
            yield
            return
        opened = self._scopes.opened
        self._scopes.opened = set(self._opened)
        try:
            with variable_scope(get_variable_scope(), reuse=True, auxiliary_name_scope=False):
                yield
        finally:
            self._scopes.opened = opened
