"""The wheel holds all of the package and nothing else, and importing it stays light."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from places import ROOT

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built offline from a copy of the checkout, so that nothing is left behind in it."""
    scratch = tmp_path_factory.mktemp("wheel")
    source = scratch / "any folder name"
    ignored = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, source, ignore=ignored)
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(scratch)],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    [path] = scratch.glob("tensordraft-*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    folder = wheel.parent / "unpacked"
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(code: str, path: Path | None = None) -> str:
    """Runs `code` in a fresh interpreter, with `path` first on sys.path, and returns its output."""
    if path:
        code = f"import sys; sys.path.insert(0, {str(path)!r}); {code}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_wheel_holds_every_file_of_the_package(unpacked: Path) -> None:
    packages = [ROOT, *(init.parent for init in ROOT.glob("[!.]*/**/__init__.py"))]
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in packages
        for suffix in ("*.py", "*.pyi", "*.proto", "*.binpb", "py.typed")
        for path in package.glob(suffix)
    }
    assert {"py.typed", "protos/descriptors.binpb", "cli/__init__.py"} <= wanted
    package = unpacked / "tensordraft"
    held = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert held == wanted


def test_wheel_adds_one_package_and_its_metadata(unpacked: Path) -> None:
    top = sorted(path.name for path in unpacked.iterdir())
    assert [name.partition("-")[0] for name in top] == ["tensordraft", "tensordraft"]
    metadata = unpacked / top[1]
    entry_points = (metadata / "entry_points.txt").read_text(encoding="utf-8")
    assert "tensordraft = tensordraft.cli.main:main" in entry_points
    assert (metadata / "licenses" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_wheel_imports_without_the_checkout(unpacked: Path) -> None:
    file = run("import tensordraft.cli.main; print(tensordraft.__file__)", unpacked)
    assert Path(file) == unpacked / "tensordraft" / "__init__.py"


FIRST_USE = """
import sys, threading
import tensordraft as td
sys.setswitchinterval(1e-6)
barrier, results = threading.Barrier(8), []
def work():
    barrier.wait()
    try:
        with td.Graph().as_default():
            results.append(td.convert_to_tensor(1).op.type)
    except Exception as error:
        results.append(repr(error))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(set(results)))
"""


def test_the_first_use_may_come_from_several_threads_at_once() -> None:
    assert run(FIRST_USE) == "['Const']"


def test_import_does_not_load_networkx() -> None:
    assert run("import sys, tensordraft; print('networkx' in sys.modules)") == "False"


def test_the_checkout_is_loaded_once() -> None:
    """pytest must not import the root under another name: that would fill a second registry."""
    twins = {
        name
        for name, module in sys.modules.items()
        if (file := getattr(module, "__file__", None)) and Path(file) == ROOT / "__init__.py"
    }
    assert twins <= {"tensordraft"}
