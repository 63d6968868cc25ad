"""The names and tags of summaries, and the collections that list them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...graph.default_scopes import add_to_collections, name_scope
from ...graph.node import Tensor
from ...graph.scopes.collections import GraphKeys

_NOT_IN_TAGS = re.compile(r"[^-/\w.]")


def clean_tag(name: str) -> str:
    """A name with the characters that op names allow; logs a warning if it was changed."""
    cleaned = _NOT_IN_TAGS.sub("_", name).lstrip("/")
    if cleaned != name:
        warnings.warn(
            f"the summary name {name!r} is illegal; {cleaned!r} is used instead", stacklevel=5
        )
    return cleaned


@contextmanager
def summary_scope(
    name: str, family: str | None, values: Sequence[Any], default_name: str | None = None
) -> Iterator[tuple[str, str]]:
    """Opens the name scope of a summary; yields its tag, and the name of its op."""
    name = clean_tag(name)
    first = None if family is None else clean_tag(family)
    with name_scope(name if first is None else f"{first}/{name}", default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if first is None else f"{first}/{tag}"), scope


def collected(summary: Tensor, collections: Iterable[str] | None) -> Tensor:
    """Lists a summary in collections, and returns it."""
    add_to_collections([GraphKeys.SUMMARIES] if collections is None else list(collections), summary)
    return summary
