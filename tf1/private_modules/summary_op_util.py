"""`tensorflow.python.ops.summary_op_util`: names and collections of summaries."""

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
    """Makes a name legal in graphs: replaces other characters by `_`, strips leading `/`."""
    return None if name is None else _ILLEGAL.sub("_", name).lstrip("/")


@contextmanager
def summary_scope(
    name: str, family: str | None = None, default_name: str | None = None, values: Any = None
) -> Iterator[tuple[str, str]]:
    """Yields the tag of a summary and the scope of its ops, in a `with` block."""
    name, family = clean_tag(name) or "", clean_tag(family)
    with name_scope(f"{family}/{name}" if family else name, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (f"{family}/{tag}" if family else tag), scope


def skip_summary() -> bool:
    """Returns False: the only replica writes its summaries."""
    return False
