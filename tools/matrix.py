"""Runs the tests with the oldest and with the newest libraries that pyproject.toml admits.

make matrix
make matrix ARGS="--python 3.12 --libraries oldest -- tests/graph -x"

It does so in each Python that pyproject.toml names, and in the one after these, as far as they are
on this machine. The oldest release of a library is the oldest that has a wheel for that Python.
Each run has an environment of its own, which uv makes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
PYTEST = ("-m", "pytest", "--numprocesses=auto", "--dist=worksteal", "-q")


def versions() -> list[str]:
    """The Pythons that pyproject.toml names, and the next."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [entry.rpartition(" ")[2] for entry in project["classifiers"] if ":: 3." in entry]
    major, _, minor = named[-1].partition(".")
    return [*named, f"{major}.{int(minor) + 1}"]


def interpreters(version: str) -> Iterator[str]:
    """Candidate interpreters of this version: on the path, or from pyenv."""
    if on_path := shutil.which(f"python{version}"):
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}")))


def answers(python: str, version: str) -> bool:
    """True if an interpreter works (a shim may not) and has this version."""
    code = "import sys; print(*sys.version_info[:2], sep='.')"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def environment(python: str, folder: Path, libraries: str) -> list[str]:
    """Makes the environment of a run; returns the libraries in it, as `name==version`."""

    def uv(*arguments: str | Path) -> None:
        command = [sys.executable, "-m", "uv", *map(str, arguments), "--quiet"]
        subprocess.run(command, cwd=ROOT, check=True)

    pinned = folder / "libraries.txt"
    uv("venv", "--clear", "--python", python, folder)
    inside = ("--python", folder / "bin" / "python")
    uv(
        "pip",
        "compile",
        "pyproject.toml",
        "--output-file",
        pinned,
        *inside,
        "--only-binary=:all:",
        f"--resolution={RESOLUTIONS[libraries]}",
        "--no-header",
        "--no-annotate",
    )
    uv("pip", "install", "--editable", ".[test]", "--constraints", pinned, *inside)
    return pinned.read_text(encoding="utf-8").split()


def tested(python: str, folder: Path, libraries: str, tests: list[str]) -> tuple[str, str]:
    """The outcome of a run, and what it ran with."""
    try:
        held = environment(python, folder, libraries)
    except subprocess.CalledProcessError:
        return "not installable", ""
    status = subprocess.call([folder / "bin" / "python", *PYTEST, *tests], cwd=ROOT)
    return "passed" if status == 0 else "FAILED", ", ".join(held)


def main() -> int:
    """Returns the exit status: 0 if something was tried and all of it passed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", nargs="+", default=versions(), metavar="VERSION")
    parser.add_argument("--libraries", nargs="+", default=[*RESOLUTIONS], choices=RESOLUTIONS)
    parser.add_argument("tests", nargs="*", help="what pytest gets: all tests by default")
    arguments = parser.parse_args()
    outcomes, table = [], []
    for version in arguments.python:
        python = next((p for p in interpreters(version) if answers(p, version)), None)
        if python is None:
            table.append(f"{version}  not tried: there is no python{version} here")
            continue
        for libraries in arguments.libraries:
            folder = Path(sys.prefix) / "matrix" / f"{version}-{libraries}"
            print(f"Python {version}, {libraries} libraries", flush=True)
            outcome, held = tested(python, folder, libraries, arguments.tests)
            outcomes.append(outcome)
            table.append(f"{version}  {libraries}  {outcome}  {held}")
    print("", *table, sep="\n")
    return 0 if outcomes and set(outcomes) == {"passed"} else 1


if __name__ == "__main__":
    sys.exit(main())
