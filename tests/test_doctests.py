"""Runs every example in the docstrings of the installed package."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.graph.api.public_calls import unguarded

NOT_IMPORTED = {"tensordraft.__main__"}  # a script


class Finder(doctest.DocTestFinder):
    """Finds the examples of functions that a table made as well: by the module that they name."""

    def _from_module(self, module: ModuleType, object: Any) -> bool:
        if unguarded(object) is not object:
            return False  # a public name of what another module defines
        named = inspect.isfunction(object) and object.__module__ == module.__name__
        return named or bool(super()._from_module(module, object))  # type: ignore[misc]


def docstring_examples() -> Iterator[doctest.DocTest]:
    """Yields each docstring of the package that holds an example."""
    finder = Finder(exclude_empty=True)
    names = [module.name for module in pkgutil.walk_packages(td.__path__, "tensordraft.")]
    for name in ["tensordraft", *sorted(set(names) - NOT_IMPORTED)]:
        # Examples know the package and NumPy by their usual names, and nothing else.
        found = finder.find(importlib.import_module(name), name, globs={"td": td, "np": np})
        yield from (test for test in found if test.examples)


@pytest.mark.usefixtures("own_imports")
@pytest.mark.parametrize("test", [*docstring_examples()], ids=lambda test: test.name)
def test_docstring(test: doctest.DocTest) -> None:
    td.reset_default_graph()
    report: list[str] = []
    # Where an example fails, the next may wait for ever for what it should have made.
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.FAIL_FAST
    results = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert results.failed == 0, "".join(report)
