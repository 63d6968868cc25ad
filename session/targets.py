"""Classes of sessions, by their target."""

from __future__ import annotations

from typing import Any

from ..graph.api.late_imports import late_import


def class_for(target: Any) -> Any:
    """Class of the sessions of a target other than this process; None for this process."""
    return late_import("cluster session") if is_cluster(target) else None


def is_cluster(target: Any) -> bool:
    """Returns whether a target is a dask cluster: "dask", "dask://host:port", or a Client."""
    if isinstance(target, bytes):
        target = target.decode(errors="replace")
    if isinstance(target, str):
        return target == "dask" or target.startswith("dask://")
    return hasattr(target, "scatter") and hasattr(target, "gather")
