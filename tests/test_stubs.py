"""Type checkers see every public name with its real signature, and see a typo as an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

pytestmark = pytest.mark.soak  # mypy reads all of the package

PROGRAM = """\
from __future__ import annotations

import tensordraft as td
from tensordraft.train import Saver

x: td.Tensor = td.placeholder(td.float32, ["batch", 3], name="x")
y: td.Tensor = td.nn.relu(td.reduce_sum(x, axis=1, name="y"))
half: td.DType = td.half
with td.Session() as session:
    session.run(y, {x: [[1.0, 2.0, 3.0]]})
saver: Saver = Saver([])
td.reduce_summ(x)
td.nn.relo(x)
td.placeholder(td.float32, sizes=[3])
td.placeholder(td.float32, [3], name=1)
number: int = td.add(1, 2)
"""
ERRORS = {12: "attr-defined", 13: "attr-defined", 14: "call-arg", 15: "arg-type", 16: "assignment"}


def test_mypy_sees_typos_and_signatures(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    ignored = shutil.ignore_patterns(".*", "build", "*.egg-info", "tests", "docs", "benchmarks")
    package = shutil.copytree(ROOT, tmp_path / "path" / "tensordraft", ignore=ignored)
    subprocess.run([sys.executable, str(package / "tools" / "type_stubs.py")], check=True)
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(tmp_path / "path")},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    found = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in lines}
    assert found == ERRORS, done.stdout + done.stderr
