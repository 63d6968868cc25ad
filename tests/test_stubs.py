"""Type checkers see every public name with its real signature, and see a typo as an error."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from places import ROOT

import tensordraft as td

pytestmark = pytest.mark.soak  # mypy reads all of the package

PROGRAM = """\
from __future__ import annotations

import numpy as np

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
td.reduce_sum(x, axes=1)
td.exp(y=1)
td.metrics.accuracy(label=1, predictions=1)
td.layers.max_pooling1d(x, pool=2, strides=1)
several: list[td.TensorLike] = [x, td.Variable(1.0), np.ones([3]), np.float32(1), [1, [2.0]], "a"]
td.matmul([[1.0, 2.0]], np.ones([2, 3]))
td.gather(x, (0, td.shape(x)[0] - 1))
td.concat([x, [[1.0, 2.0, 3.0]]], 0)
td.exp(None)
td.matmul(x, {"weights": 1.0})
td.gather(x, print)
td.concat({x, y}, 0)
td.nn.relu([x, None])
"""
ERRORS = {14: "attr-defined", 15: "attr-defined", 16: "call-arg", 17: "arg-type", 18: "assignment"}
ERRORS |= dict.fromkeys(range(19, 23), "call-arg")
ERRORS |= dict.fromkeys(range(27, 31), "arg-type") | {31: "list-item"}


def checked(program: str, tmp_path: Path) -> list[str]:
    """Output of mypy for a program."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    ignored = shutil.ignore_patterns(".*", "build", "*.egg-info", "tests", "docs", "benchmarks")
    package = shutil.copytree(ROOT, tmp_path / "path" / "tensordraft", ignore=ignored)
    subprocess.run([sys.executable, str(package / "tools" / "type_stubs.py")], check=True)
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(tmp_path / "path")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_mypy_sees_typos_and_signatures(tmp_path: Path) -> None:
    lines = [line for line in checked(PROGRAM, tmp_path) if ": error:" in line]
    found = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in lines}
    assert found == ERRORS, lines


def functions(namespace: ModuleType, prefix: str) -> Iterator[str]:
    """Yields the names of the public functions of a namespace, and of those inside it."""
    for name in dir(namespace):
        value = getattr(namespace, name)
        if isinstance(value, ModuleType) and value not in (td.raw_ops, td.contrib, td.test.mock):
            yield from functions(value, f"{prefix}.{name}")
        elif isinstance(value, FunctionType):
            yield f"{prefix}.{name}"


def test_mypy_knows_the_arguments_of_every_function(tmp_path: Path) -> None:
    names = [*functions(td, "td")]
    program = ["import tensordraft as td", *[f"reveal_type({name})" for name in names]]
    lines = [line for line in checked("\n".join(program), tmp_path) if "Revealed" in line]
    assert len(lines) == len(names) > 900
    untyped = re.compile(r"is \"(Any|def \(\*Any, \*\*Any\))")
    assert [names[i] for i, line in enumerate(lines) if untyped.search(line)] == []
