"""Table of public names, collected from the `public` declarations of the package's modules.

A module says `public = {"td, td.math": "abs add", "td": "half=float16"}`: its `abs` is `td.abs` and
`td.math.abs`, its `float16` is also `td.half`. Modules are imported stage by stage, when a name is
asked for that no earlier stage has.
"""

from __future__ import annotations

import pkgutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

from .late_imports import LOADING
from .rooms import STAGE_NAMES, STAGES


class Home(NamedTuple):
    """Home of a public name: a module, and the name inside it."""

    module: str
    name: str


def entries(public: Mapping[str, str], module: str) -> Iterator[tuple[str, str, Home]]:
    """Public names of a module, as triples of namespace, public name and home.

    Args:
        public: the table of the module.
        module: its name.
    """
    for namespaces, names in public.items():
        for entry in names.split():
            name, _, own = entry.partition("=")
            for namespace in namespaces.split(", "):
                yield namespace, name, Home(module, own or name)


class PublicTable:
    """Public names of a package by namespace.

    Args:
        package: the name of the package.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._homes: dict[str, dict[str, Home]] = defaultdict(dict)
        self._pending = list(STAGE_NAMES)
        self._loading = False

    def find(self, namespace: str, name: str) -> Home | None:
        """Home of a name in a namespace, or None."""
        with LOADING:
            while (home := self._homes[namespace].get(name)) is None and self._load_next():
                pass
            return home

    def names(self, namespace: str) -> list[str]:
        """Names in a namespace, in order."""
        with LOADING:
            while self._load_next():
                pass
            return sorted(self._homes[namespace])

    def load(self, stage: str) -> None:
        """Imports the modules of a stage, and of those before it."""
        with LOADING:
            while stage in self._pending and self._load_next():
                pass

    def _load_next(self) -> bool:
        """Imports the next stage; False if there is none, or one is being imported right now."""
        if self._loading or not self._pending:
            return False
        self._loading = True
        try:
            for package in STAGES[self._pending[0]]:
                self._import_modules(f"{self._package}.{package}")
            del self._pending[0]
        finally:
            self._loading = False
        return True

    def _import_modules(self, package: str) -> None:
        """Imports the modules of a package, and collects their public names."""
        for found in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
            if not found.ispkg:
                public = getattr(import_module(found.name), "public", {})
                for namespace, name, home in entries(public, found.name):
                    self._homes[namespace][name] = home


def resolve(home: Home) -> object:
    """Object at a home."""
    return getattr(sys.modules[home.module], home.name)
