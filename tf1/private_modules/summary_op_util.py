"""`tensorflow.python.ops.summary_op_util`: what summaries of the time are named and kept by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import name_scope

_ILLEGAL = re.compile(r"[^-/\w\.]")


def collect(
    val: Any, collections: Sequence[str] | None, default_collections: Sequence[str]
) -> None:
    """Adds a summary to collections, by default to some."""
    for key in default_collections if collections is None else collections:
        get_default_graph().add_to_collection(key, val)


def clean_tag(name: str | None) -> str | None:
    """A name as it may stand in a graph: other characters become `_`, and none leads with `/`."""
    return None if name is None else _ILLEGAL.sub("_", name).lstrip("/")


@contextmanager
def summary_scope(
    name: str, family: str | None = None, default_name: str | None = None, values: Any = None
) -> Iterator[tuple[str, str]]:
    """A `with` block that gives the tag of a summary and the scope of its ops."""
    name, family = clean_tag(name) or "", clean_tag(family)
    with name_scope(f"{family}/{name}" if family else name, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (f"{family}/{tag}" if family else tag), scope


def skip_summary() -> bool:
    """False: there is one replica, which writes its summaries."""
    return False
