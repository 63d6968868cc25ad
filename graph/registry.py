"""The table of op definitions, by op type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .op_def import OpDef

_DEFINITIONS: dict[str, OpDef] = {}


def register(definition: OpDef) -> None:
    """Adds a definition.

    Raises:
        ValueError: the op type is defined already; both places are named.
    """
    earlier = _DEFINITIONS.setdefault(definition.name, definition)
    if earlier is not definition:
        raise ValueError(
            f"the op type {definition.name!r} is defined at {definition.site} and was already "
            f"defined at {earlier.site}"
        )


def lookup(name: str) -> OpDef:
    """The definition of the op type `name`.

    Raises:
        ValueError: there is none.
    """
    definition = _DEFINITIONS.get(name)
    if definition is None:
        raise ValueError(f"op type not registered: {name!r} is not supported by tensordraft")
    return definition


def find(name: str) -> OpDef | None:
    """The definition of the op type `name`, or None."""
    return _DEFINITIONS.get(name)


def definitions() -> Iterator[OpDef]:
    """All definitions, by name."""
    return iter([_DEFINITIONS[name] for name in sorted(_DEFINITIONS)])
