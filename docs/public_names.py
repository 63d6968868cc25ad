"""The public names of tensordraft, with what they stand for, as the reference pages need them."""

from __future__ import annotations

import functools
import inspect
from collections import defaultdict
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any, NamedTuple
from unittest import mock

from google.protobuf.message import Message

import tensordraft as td
from tensordraft.graph.api.public_calls import unguarded


class Name(NamedTuple):
    """A public thing: what it is, the name that users know best, and its other names."""

    value: Any
    name: str
    aliases: tuple[str, ...]

    @property
    def module(self) -> str:
        """The module that it is written in, without the name of the package."""
        own = unguarded(self.value) if self.is_described else self.value
        return str(getattr(own, "__module__", "")).removeprefix("tensordraft.")

    @property
    def is_described(self) -> bool:
        """True for a function or class, False for a plain value."""
        return isinstance(self.value, (FunctionType, type))


@functools.cache
def public_names() -> list[Name]:
    """All that is public, by name."""
    names: dict[int, list[str]] = defaultdict(list)
    values: dict[int, Any] = {}
    for name, value in exported(td, "td"):
        # Small numbers are one object under many names.
        key = id(value) if isinstance(value, (FunctionType, type)) else id(name)
        names[key].append(name)
        values[key] = value
    found = []
    for key, aliases in names.items():
        own = getattr(values[key], "__name__", "")
        aliases.sort(key=lambda name: (name.rpartition(".")[2] != own, name.count("."), name))
        found.append(Name(values[key], aliases[0], tuple(aliases[1:])))
    return sorted(found, key=lambda item: item.name.lower())


def exported(namespace: ModuleType, prefix: str) -> Iterator[tuple[str, Any]]:
    """Contents of a namespace and of nested ones, by full name."""
    for name in dir(namespace):
        value = getattr(namespace, name)
        if name.startswith("_") or value is td.raw_ops or value is mock:
            continue  # the one has a function for every op type, the other is Python's own
        if isinstance(value, ModuleType):
            yield from exported(value, f"{prefix}.{name}")
        else:
            yield f"{prefix}.{name}", value


def signature(value: Any) -> str:
    """The arguments of a function or class, without their types."""
    if isinstance(value, type) and issubclass(value, Message):
        return "(**fields)"
    plain_error = isinstance(value, type) and issubclass(value, Exception)
    if plain_error and not inspect.isfunction(value.__init__):
        return "(*args)"  # some Pythons give no signature for a class that has only C's
    found = inspect.signature(value)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_shown(parameter.default))
        for parameter in found.parameters.values()
    ]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _shown(default: Any) -> Any:
    """A default as it is shown: a function by its name, without its place in memory."""
    if not inspect.isfunction(default):
        return default
    return type("", (), {"__repr__": lambda _: default.__name__})()


def summary(value: Any) -> str:
    """The first sentence of a docstring."""
    return (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")


def listed(names: Any) -> str:
    """Names as a list in a sentence."""
    return ", ".join(f"`{name}`" for name in names)
