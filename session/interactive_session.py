"""A session for notebooks: the default without a `with` block."""

from __future__ import annotations

from contextlib import ExitStack

from ..graph.graph import Graph
from ..graph.scopes import thread_defaults as scopes
from .options import ConfigProto
from .session import Session

public = {"td": "InteractiveSession"}


class InteractiveSession(Session):
    """A session that is the default from its creation until it is closed; for notebooks.

    Example:
        >>> session = td.InteractiveSession(graph=td.Graph())
        >>> print(td.constant([1, 2]).eval())
        [1 2]
        >>> session.close()
    """

    def __init__(
        self,
        target: str | bytes | None = "",
        graph: Graph | None = None,
        config: ConfigProto | None = None,
        optimize: str = "fast",
    ) -> None:
        super().__init__(target, graph, config, optimize)
        self._default = ExitStack()
        self._default.enter_context(scopes.graphs.entered(self._graph, nested=False))
        self._default.enter_context(scopes.sessions.entered(self, nested=False))

    def close(self) -> None:
        """Ends being the default, and closes the session."""
        self._default.close()
        super().close()
