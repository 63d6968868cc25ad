"""Validation of the arguments of a session."""

from __future__ import annotations

from typing import Any

from ..graph.graph import Graph
from ..runtime import errors
from .options import ConfigProto
from .servers import state_of


def check_arguments(target: Any, graph: Any, config: Any, optimize: Any) -> dict[Any, Any]:
    """Checks the arguments of a session, and gives it its store for stateful ops.

    Raises:
        TypeError: one of them is of another type.
        ValueError: `optimize` is none of its values.
        NotFoundError: the target is not this process.
    """
    for name, value, kind, wanted in (
        ("target", target, (str, bytes), "string"),
        ("graph", graph, Graph, "td.Graph"),
        ("config", config, ConfigProto, "td.ConfigProto"),
    ):
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f"{name} must be a {wanted}, got {value!r} of type {type(value).__name__!r}"
            )
    if optimize not in ("fast", "exact"):
        raise ValueError(f"optimize must be 'fast' or 'exact', got {optimize!r}")
    state = state_of(target)
    if state is None:
        raise errors.NotFoundError(
            None,
            None,
            "No session factory registered for the given session options: the target is "
            f"{target!r}; '' is this process, as is the target of a td.train.Server",
        )
    return state
