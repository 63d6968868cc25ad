"""A session for notebooks: the default without a `with` block."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..graph.scopes import thread_defaults as scopes
from .session import Session

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .options import ConfigProto

public = {"td": "InteractiveSession"}


class InteractiveSession(Session):
    """A session that is the default from its creation until it is closed; for notebooks.

    Example:
        >>> import tensordraft as td
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
