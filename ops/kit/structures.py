"""Nested tuples, lists and dicts of tensors: taken apart, and put together again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def flat(structure: Any) -> list[Any]:
    """The leaves of nested tuples, lists and dicts, those of dicts in the order of the keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flat(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flat(item)]
    return [structure]


def packed(structure: Any, leaves: Sequence[Any]) -> Any:
    """The structure with other leaves."""
    rest = iter(leaves)

    def take(part: Any) -> Any:
        if isinstance(part, dict):
            taken = {key: take(part[key]) for key in sorted(part)}
            return type(part)((key, taken[key]) for key in part)
        if isinstance(part, (list, tuple)):
            return getattr(part, "_make", type(part))([take(item) for item in part])
        return next(rest)

    return take(structure)
