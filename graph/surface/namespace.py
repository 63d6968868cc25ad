"""What a module shows of itself: the names that its users are meant to find."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def public_names(names: Mapping[str, Any]) -> list[str]:
    """The public names among those that a module has, in order: what its `dir()` should list.

    Args:
        names: what the module has, by name: its `globals()`.

    Returns:
        The names that do not begin with "_", without what the module imported for its own use:
        packages, modules of others, and what annotations need.
    """
    return sorted(name for name, value in names.items() if _is_public(name, value))


def _is_public(name: str, value: Any) -> bool:
    if name.startswith("_") or name in ("TYPE_CHECKING", "annotations"):
        return False
    if isinstance(value, ModuleType):
        return value.__name__.startswith("tensordraft.") and not hasattr(value, "__path__")
    return getattr(value, "__module__", None) not in ("typing", "collections.abc")
