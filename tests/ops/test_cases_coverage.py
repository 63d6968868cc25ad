"""Every op of the package has a case in a table, or tests written by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from harness import COVERED
from places import ROOT, TESTS

from tensordraft.graph.registry import definitions

TABLES = sorted(TESTS.joinpath("ops").glob("*/test_*.py"))


def import_once(path: Path) -> None:
    """Imports a test module, unless pytest has done so already."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    if str(path) not in files:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)


def ops_of_package() -> list[str]:
    ops = ROOT / "ops"
    return [op.name for op in definitions() if Path(op.site.file).resolve().is_relative_to(ops)]


@pytest.mark.skipif(not TABLES, reason="the tables are not part of this installation")
def test_every_op_has_a_case() -> None:
    for path in TABLES:
        import_once(path)
    missing = [name for name in ops_of_package() if name not in COVERED]
    assert not missing, f"{len(missing)} ops have no case: {', '.join(missing)}"
