"""The table of parts that lower rooms import from higher ones."""

from __future__ import annotations

import pytest

from tensordraft.graph.api.late_imports import LATE_IMPORTS, late_import


@pytest.mark.parametrize("use", LATE_IMPORTS)
def test_each_late_import_is_found_and_kept(use: str) -> None:
    part = late_import(use)
    assert part.__name__ == LATE_IMPORTS[use].split()[1]
    assert late_import(use) is part


def test_an_unknown_use_is_an_error() -> None:
    with pytest.raises(KeyError, match="no such use"):
        late_import("no such use")
