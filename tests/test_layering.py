"""Keeps the house in order: who may import whom, where imports stand, how long a file may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 400

# What the files of a folder may import from; "" is the root itself.
MAY_IMPORT = {
    "protos": {"protos"},
    "shape_inference": {"protos", "shape_inference"},
    "graph": {"protos", "shape_inference", "graph"},
    "ops": {"protos", "shape_inference", "graph", "ops"},
    "session": {"protos", "shape_inference", "graph", "session"},
}
MAY_IMPORT["namespaces"] = {"protos", "shape_inference", "graph", "ops", "namespaces"}
MAY_IMPORT["cli"] = {"", "cli"}.union(*MAY_IMPORT.values())
MAY_IMPORT[""] = MAY_IMPORT["cli"]

PACKAGE = sorted(
    path.relative_to(ROOT)
    for folder in MAY_IMPORT
    for path in (ROOT / folder).glob("**/*.py" if folder else "*.py")
)


def imported_folders(node: ast.AST, file: Path) -> Iterator[str]:
    """Yields the folder of each project module that an import statement of `file` names."""
    package = ("tensordraft", *file.parent.parts)
    match node:
        case ast.Import():
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        case ast.ImportFrom():
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = tuple(node.module.split(".")) if node.module else ()
            targets = [(*base, *module, alias.name) for alias in node.names]
        case _:
            return
    for target in targets:
        if target[0] == "tensordraft":
            yield next((part for part in target[1:2] if part in MAY_IMPORT), "")


def violations(source: str, file: Path) -> list[str]:
    """Describes every import in `source` that breaks the rules of the house."""
    tree = ast.parse(source)
    folder = file.parts[0] if len(file.parts) > 1 else ""
    found = [
        f"{file}:{node.lineno} imports from {target or 'the root'!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for target in imported_folders(node, file)
        if target not in MAY_IMPORT[folder]
    ]
    found += [
        f"{file}:{node.lineno} imports the project inside {function.name}()"
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and [*imported_folders(node, file)]
    ]
    found += [
        f"{file}:{node.lineno} names tensordraft where a relative import would do"
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and [*imported_folders(node, file)])
        or (isinstance(node, ast.ImportFrom) and not node.level and [*imported_folders(node, file)])
    ]
    return found


@pytest.mark.parametrize("file", PACKAGE, ids=str)
def test_imports_keep_the_layers(file: Path) -> None:
    assert violations((ROOT / file).read_text(encoding="utf-8"), file) == []


def test_every_package_folder_has_a_layer() -> None:
    folders = {path.parent.name for path in ROOT.glob("[!.]*/__init__.py")}
    assert folders == set(MAY_IMPORT) - {""}


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        ("session/plan.py", "from ..ops import math", "imports from 'ops'"),
        ("protos/dtypes.py", "from .. import graph", "imports from 'graph'"),
        ("graph/node.py", "from .. import Graph", "imports from 'the root'"),
        ("graph/node.py", "def f():\n    from .graph import Graph", "inside f()"),
        ("cli/main.py", "import tensordraft.graph", "relative import"),
        ("cli/main.py", "from tensordraft import Graph", "relative import"),
    ],
)
def test_the_rules_can_be_broken(file: str, source: str, complaint: str) -> None:
    assert complaint in "\n".join(violations(source, Path(file)))


def test_no_file_outgrows_the_cap() -> None:
    files = [*ROOT.glob("*.py"), *ROOT.glob("[!.]*/**/*.py")]
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
        if not path.is_relative_to(ROOT / "build") and not path.name.endswith("_pb2.py")
    }
    assert {file: lines for file, lines in lengths.items() if lines > MAX_LINES} == {}
