"""Progress on a terminal: when it is shown, how, and that nothing of it remains."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_harness import Cli, in_folder, save, shifted

from tensordraft.cli import progress
from tensordraft.cli.main import main
from tensordraft.cli.output import Answer
from tensordraft.cli.progress import ShownProgress, ShownTime


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Returns the time that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def screen(text: str) -> str:
    """The visible text of a terminal line that is overwritten repeatedly."""
    shown = ""
    for part in text.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def load(shown: ShownProgress, terminal: io.StringIO, clock: Clock) -> Iterator[str]:
    """Says at some times how much is done; what is on the screen then."""
    for seconds, done in ((0.0, 0), (0.9, 1000), (1.0, 2000), (1.05, 3000), (1.2, 4000)):
        clock.now = seconds
        shown("nodes", done, 1_000_000)
        yield screen(terminal.getvalue())


def test_a_line_is_shown_after_a_second_and_changes_now_and_then() -> None:
    terminal, clock = Terminal(), Clock()
    with ShownProgress("folder/model\a.pb", terminal, clock) as shown:
        later = "model\\x07.pb: 2,000 of 1,000,000 nodes (0%)"
        last = "model\\x07.pb: 4,000 of 1,000,000 nodes (0%)"
        assert list(load(shown, terminal, clock)) == ["", "", later, later, last]
        clock.now = 5.0
        shown("bytes", 1, 2)
        assert screen(terminal.getvalue()).strip() == "model\\x07.pb: 1 of 2 bytes (50%)"
    assert screen(terminal.getvalue()).strip() == ""
    assert terminal.getvalue().endswith("\r")


def test_an_error_leaves_no_line_behind() -> None:
    terminal, clock = Terminal(), Clock()

    def fail() -> None:
        with ShownProgress("g.pb", terminal, clock) as shown:
            assert any(load(shown, terminal, clock))
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert screen(terminal.getvalue()).strip() == ""


def test_nothing_is_written_where_nobody_looks() -> None:
    terminal, clock = io.StringIO(), Clock()
    with ShownProgress("g.pb", terminal, clock) as shown:
        assert not any(load(shown, terminal, clock))
    assert terminal.getvalue() == ""


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


@pytest.mark.parametrize(
    ("command", "counted"),
    [("show", ["152 bytes", "3 nodes"]), ("check", ["152 bytes", "3 nodes", "3 checks"])],
)
def test_commands_show_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str, counted: list[str]
) -> None:
    save(shifted())
    expected = cli(command, "g.pb").out
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert cli(command, "g.pb").out == expected
    written = terminal.getvalue()
    lines = dict.fromkeys(line.strip() for line in written.split("\r") if line.strip())
    assert list(lines) == [f"g.pb: 0 of {what} (0%)" for what in counted]
    assert screen(written).strip() == ""


def test_the_time_is_shown_after_two_seconds() -> None:
    terminal, clock = Terminal(), Clock()
    with ShownTime("folder/model.pb", "run", terminal, clock) as shown:
        for seconds, text in (
            (1.9, ""),
            (2.0, "model.pb: run, 2 s"),
            (61.0, "model.pb: run, 61 s"),
        ):
            clock.now = seconds
            shown.show()
            assert screen(terminal.getvalue()).strip() == text
    assert screen(terminal.getvalue()).strip() == ""


def test_a_load_is_shown_in_its_place() -> None:
    terminal, clock = Terminal(), Clock()
    with ShownTime("model.pb", "optimize", terminal, clock) as time:
        clock.now = 100.0
        time.show()
        with ShownProgress("m.pb", terminal, clock) as load:
            clock.now = 102.0
            load("nodes", 1, 2)
            time.show()
            assert screen(terminal.getvalue()).strip() == "m.pb: 1 of 2 nodes (50%)"
        assert screen(terminal.getvalue()).strip() == ""
        time.show()
        assert screen(terminal.getvalue()).strip() == "model.pb: optimize, 102 s"


@pytest.mark.parametrize("command", ["run", "optimize", "check"])
def test_commands_show_the_time(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(shifted(), "g.pb")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE_WITH_COMMANDS", 0.0)
    shown = threading.Event()
    monkeypatch.setattr(progress._Line, "show", lambda *_: shown.set())
    monkeypatch.setattr(progress, "_TICK", 0.001)
    options = {"run": ["--feed", "x=ones"], "optimize": ["--out", "o.pb"], "check": []}
    monkeypatch.setattr(
        Answer, "show", lambda *_, **__: None if shown.is_set() else pytest.fail("not shown")
    )
    wait = ShownTime.__exit__
    monkeypatch.setattr(ShownTime, "__exit__", lambda *a: (shown.wait(60), wait(*a))[1])
    assert main([command, "g.pb", *options[command]]) == 0
