"""Registry of op definitions by op type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..runtime.suggestions import did_you_mean
from .api.late_imports import LOADING

if TYPE_CHECKING:
    from ..shape_inference.traits import Constant, Stack
    from .graph_protocols import RegisteredOpType

_DEFINITIONS: dict[str, RegisteredOpType] = {}
_SOLE: dict[type, RegisteredOpType] = {}
_loaders: list[Callable[[], None]] = []
_running: list[Callable[[], None]] = []


def on_first_use(loader: Callable[[], None]) -> Callable[[], None]:
    """Decorator: registers `loader`, which imports the definitions at the first lookup."""
    _loaders.append(loader)
    return loader


def load() -> None:
    """Imports all definitions, once.

    A caller waits while another thread imports them; modules that are being imported see the
    definitions made so far. A loader that raises is tried again.
    """
    with LOADING:
        while _loaders and not _running:
            _running.append(_loaders[-1])
            try:
                _running[-1]()
                _loaders.pop()
            finally:
                _running.pop()


def register(definition: RegisteredOpType) -> None:
    """Adds a definition.

    Raises:
        ValueError: the op type is already defined; the message names both places.
    """
    earlier = _DEFINITIONS.setdefault(definition.name, definition)
    if earlier is not definition:
        raise ValueError(
            f"the op type {definition.name!r} is defined at {definition.site} and was already "
            f"defined at {earlier.site}"
        )
    _SOLE.setdefault(type(definition.traits), definition)


def lookup(name: str) -> RegisteredOpType:
    """The definition of the op type `name`.

    Raises:
        ValueError: there is none.
    """
    definition = find(name)
    if definition is None:
        raise ValueError(
            f"op type not registered: {name!r} is not supported by tensordraft"
            f"{did_you_mean(name, _DEFINITIONS)}"
        )
    return definition


def find(name: str) -> RegisteredOpType | None:
    """The definition of the op type `name`, or None."""
    if _loaders:
        load()
    return _DEFINITIONS.get(name)


def sole(kind: type[Constant | Stack]) -> RegisteredOpType:
    """The only op type of a kind."""
    if _loaders:
        load()
    return _SOLE[kind]


def definitions() -> Iterator[RegisteredOpType]:
    """All definitions, by name."""
    load()
    return iter([_DEFINITIONS[name] for name in sorted(_DEFINITIONS)])
