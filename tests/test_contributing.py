"""CONTRIBUTING.md is true: an op with its public name is one more file, and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

IMPORTS = """\
from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
"""
USE = """
import tensordraft as td
order = td.undo_permutation(td.placeholder(td.int32, [3], name="x"))
print(order.shape, "undo_permutation" in dir(td), "undo_permutation" in dir(td.math))
print(td.math.undo_permutation is td.undo_permutation, td.raw_ops.UndoPermutation.__name__)
with td.Session() as session:
    print(session.run(order, {"x:0": [1, 2, 0]}))
    try:
        session.run(order, {"x:0": [1, 2, 2]})
    except td.errors.InvalidArgumentError as error:
        print(*(line for line in str(error).splitlines() if "0..2" in line))
"""
PRINTED = """\
(3,) True True
True UndoPermutation
[2 0 1]
x = [1, 2, 2] is not a permutation of 0..2
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with the op of the walk-through, under a name that is free."""
    package = tmp_path_factory.mktemp("grown") / "tensordraft"
    ignored = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "tests", "*.pyi")
    shutil.copytree(ROOT, package, ignore=ignored)
    walk = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = "\n\n".join([IMPORTS, *re.findall(r"(?s)```python\n(.*?)```", walk)])
    code = code.replace("INVERT", "UNDO").replace("Invert", "Undo").replace("invert_", "undo_")
    (package / "ops" / "array" / "undoing.py").write_text(code, encoding="utf-8")
    return package


def run(package: Path, code: str) -> str:
    """Output of a program that imports this copy of the package."""
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{code}"
    command = [sys.executable, "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_op_is_one_file(package: Path) -> None:
    assert run(package, USE) == PRINTED


def test_the_stubs_follow(package: Path) -> None:
    subprocess.run([sys.executable, str(package / "tools" / "type_stubs.py")], check=True)
    imported = "from .ops.array.undoing import undo_permutation as undo_permutation"
    for stub in ("__init__.pyi", "math.pyi"):
        assert imported in (package / stub).read_text(encoding="utf-8")
