"""Detection of graphs that grow in a loop: program lines that add nodes between runs."""

from __future__ import annotations

import warnings
from collections import Counter
from threading import Lock
from weakref import WeakKeyDictionary

from .api.source_locations import Site
from .graph import Graph
from .node import Operation

_MOST_TIMES = 10
_SUSPICIOUS_TIMES = 2
_ENDLESS_TIMES = 1_000  # more than a model has variables to assign, one after the other


class Growth:
    """The nodes that lines of a program add to one graph between its runs.

    Many nodes between two runs are how a graph is built; nodes of one line between many runs are
    a loop that builds what it should build once.

    Attributes:
        version: the size of the graph at the last look.
        reported: the lines that have made nodes between `_MOST_TIMES` runs.
        is_endless: whether a line that made nodes before the latest run has done so before
            `_ENDLESS_TIMES` runs.
        may_be: whether a line has done so that may have to be reported before long.
    """

    def __init__(self, version: int) -> None:
        self.version = version
        self.reported: dict[tuple[str, int], str] = {}
        self.is_endless = False
        self.may_be = False
        self._times: Counter[tuple[str, int]] = Counter()

    def look(self, graph: Graph) -> list[tuple[Site, str]]:
        """Counts what has been added since the last look.

        Returns:
            The lines that have now done so too often, each with a message.
        """
        made: dict[tuple[str, int], Operation] = {}
        for op in graph.operations_from(self.version):
            if op.site is not None:
                made[op.site.file, op.site.line] = op
        self.version = graph.version
        self._times.update(made.keys())
        new = []
        for place, op in made.items():
            if self._times[place] == _MOST_TIMES and op.site is not None:
                self.reported[place] = text = (
                    f"the graph grows in a loop: this line has made nodes between {_MOST_TIMES} "
                    f"runs, the last {op.name!r}; each makes runs slower and takes memory. Make "
                    "them once, before the loop, and feed what changes to a placeholder"
                )
                new.append((op.site, text))
        times = [self._times[place] for place in made]
        self.is_endless = max(times, default=0) >= _ENDLESS_TIMES
        self.may_be = any(_SUSPICIOUS_TIMES <= number < _MOST_TIMES for number in times)
        return new


_of_graphs: WeakKeyDictionary[Graph, Growth] = WeakKeyDictionary()
_lock = Lock()


def growth_of(graph: Graph) -> Growth:
    """Growth of a graph, counted from its first run."""
    with _lock:
        growth = _of_graphs.get(graph)
        if growth is None:
            growth = _of_graphs[graph] = Growth(graph.version)
        return growth


def look_at_growth(graph: Graph) -> int:
    """Warns of lines of the program that add nodes to a graph again and again.

    Returns:
        The size of the graph.
    """
    growth = growth_of(graph)
    with _lock:
        new = growth.look(graph) if growth.version < graph.version else []
    for site, text in new:
        warnings.warn_explicit(text, UserWarning, site.file, site.line)
    return growth.version
