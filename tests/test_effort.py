"""An ordinary run of the tests is the same for everybody; a soak tries more."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from effort import examples, sample
from hypothesis import settings

HERE = Path(__file__).parent
TESTS = """\
from hypothesis import given, settings, strategies as st
from effort import sample
import pytest

@given(st.integers())
def test_numbers(number: int) -> None:
    print("number", number)

@pytest.mark.parametrize(("x", "y"), sample(((x, y) for x in range(9) for y in range(9)), 5))
def test_pairs(x: int, y: int) -> None:
    print("pair", x, y)

@pytest.mark.soak
def test_much() -> None:
    print("much")
"""


def clone(folder: Path) -> Path:
    """Makes an untested clone; returns its file of tests."""
    folder.mkdir()
    (folder / "conftest.py").write_text('pytest_plugins = ["effort"]', encoding="utf-8")
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    config = f"[pytest]\nmarkers = soak\npythonpath = {HERE}\n"
    (folder / "pytest.ini").write_text(config, encoding="utf-8")
    return folder / "test_it.py"


def printed(folder: Path, *options: str) -> list[str]:
    """Output of a run of `TESTS` in a clone, in any order."""
    clone(folder)
    command = [sys.executable, "-m", "pytest", "-qs", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(line.lstrip(".s") for line in done.stdout.splitlines())


def values(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith(("number", "pair"))]


def count(lines: list[str], what: str) -> int:
    return sum(line.startswith(what) for line in lines)


def test_ordinary_runs_try_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    first = printed(tmp_path / "one")
    monkeypatch.setenv("CI", "true")
    second = printed(tmp_path / "two")
    assert values(first) == values(second)
    assert count(first, "number") == 100
    assert count(first, "pair") == 5
    assert count(first, "much") == 0


def test_a_soak_tries_everything_and_new_examples(tmp_path: Path) -> None:
    lines = printed(tmp_path / "one", "--soak")
    assert count(lines, "number") == 1000
    assert count(lines, "pair") == 81
    assert count(lines, "much") == 1
    assert values(lines) != values(printed(tmp_path / "two", "--soak"))


def test_nothing_begins_when_the_time_is_up(tmp_path: Path) -> None:
    assert count(printed(tmp_path / "one", "--minutes", "0"), "pair") == 0


def explore() -> Any:
    """The module behind `make fuzz`."""
    spec = spec_from_file_location("explore", HERE / "fuzz" / "explore.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("minutes", "tried"), [(60, 1), (0, 0)])
def test_a_search_counts_what_it_has_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: int, tried: int
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "0")  # starts no other process
    assert explore().search([str(clone(tmp_path / "one"))], 1, minutes) == (0, tried)


@pytest.mark.parametrize(
    ("rounds", "status", "said"),
    [
        ([(0, 3), (0, 1)], 0, "4 runs of property tests, from seed 7 on: nothing found"),
        ([(0, 3), (1, 1)], 1, 'again by: make fuzz ARGS="--seed 8"'),
        ([(0, 0), (0, 0)], 1, "nothing was tried: no property test began in the time"),
    ],
)
def test_a_search_that_tried_nothing_has_not_found_nothing(
    rounds: list[tuple[int, int]],
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = explore()
    clock = iter([0.0, 1.0, 2.0, 61.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(module, "search", lambda tests, seed, left: rounds[seed - 7])
    monkeypatch.setattr(sys, "argv", ["explore.py", "--minutes=1", "--seed=7", "test_it.py"])
    assert module.main() == status
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_a_sample_is_fixed() -> None:
    def kept(number: int) -> list[int]:
        return [row for row in sample(range(1000), number) if isinstance(row, int)]

    assert kept(30) == kept(30)
    assert len(kept(30)) == 30
    assert kept(2000) == list(range(1000))


def test_examples_are_counted_as_the_run_wants() -> None:
    assert examples(50).max_examples * 2 == settings().max_examples
    assert examples(50, deadline=5).deadline is not None
