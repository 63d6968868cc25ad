"""Namespaces as submodules: `import tensordraft.nn` finds `tensordraft.namespaces.nn`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _Alias(Loader):
    def __init__(self, target: str) -> None:
        self._target = target

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(self._target)


class _Finder(MetaPathFinder):
    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = self._targets.get(fullname)
        return None if found is None else ModuleSpec(fullname, _Alias(found))


def alias_submodules(package: str, homes: Mapping[str, str]) -> None:
    """Lets `import package.name` find each module of `homes` that lives elsewhere in the package.

    Args:
        package: the name of the package.
        homes: where each name lives, relative to the package; only modules of that name count.
    """
    sys.meta_path.append(
        _Finder(
            {
                f"{package}.{name}": f"{package}.{home}"
                for name, home in homes.items()
                if home.rpartition(".")[2] == name
            }
        )
    )
