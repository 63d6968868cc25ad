"""Flags that several commands have: one spelling, and the old ones that are still understood."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_harness import Cli, in_folder, save, shifted

import tensordraft as td
from tensordraft.cli.main import command_line


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


def two_ends() -> td.Graph:
    graph = shifted()
    with graph.as_default():
        td.negative(graph.get_tensor_by_name("x:0"), name="z")
    return graph


NEW = (["--fetch", "y,z"], ["--fetch", "y", "--fetch", "z"])


@pytest.mark.parametrize(
    ("command", "fetches"),
    [
        *((command, fetches) for command in ("freeze", "optimize", "extract") for fetches in NEW),
        *((command, ["--outputs", "y,z"]) for command in ("freeze", "optimize")),
    ],
)
def test_what_is_kept(cli: Cli, command: str, fetches: list[str]) -> None:
    save(two_ends())
    assert cli(command, "g.pb", *fetches, "--out", "o.pb").code == 0
    names = {op.name for op in td.load_graph("o.pb").get_operations()}
    assert {"x", "y", "z"} <= names
    assert cli(command, "g.pb", "--fetch", "z", "--out", "o.pb").code == 0
    assert "y" not in {op.name for op in td.load_graph("o.pb").get_operations()}


def test_several_fetches_in_one_flag(cli: Cli) -> None:
    save(two_ends())
    feed = ["--feed", "x=[[1, 2]]"]
    assert [*cli.json("run", "g.pb", *feed, "--fetch", "z,y")] == ["z:0", "y:0"]
    tensors = cli.json("check", "g.pb", "--fetch", "z,one")["tensors"]
    assert [*tensors] == ["x:0", "one:0", "z:0"]


def test_where_annotate_writes(cli: Cli) -> None:
    save(shifted())
    assert cli("annotate", "g.pb", "--out", "new.pb").code == 0
    assert cli("annotate", "g.pb", "old.pb").code == 0
    assert Path("new.pb").read_bytes() == Path("old.pb").read_bytes()
    for arguments in ([], ["a.pb", "--out", "b.pb"]):
        done = cli("annotate", "g.pb", *arguments)
        assert (done.code, "expected one file to write: --out FILE" in done.err) == (1, True)


def test_old_spellings_are_not_shown() -> None:
    for command in command_line().commands().values():
        text = command.format_help()
        assert "--outputs" not in text


def sequences() -> td.Graph:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", None, 4], name="x")
        flat = td.reshape(x, [-1, 4])
        td.reshape(flat, [-1, td.shape(x)[1], 4], name="y")
    return graph


def test_sizes_and_facts_of_a_check(cli: Cli) -> None:
    save(sequences())
    assert "y:0 " in cli("check", "g.pb").out
    assert "float32 (?1, x.1, 4)" in cli("check", "g.pb").out
    tensors = cli.json("check", "g.pb", "--positive")["tensors"]
    assert tensors["y:0"]["shape"] == ["batch", "x.1", 4]
    tensors = cli.json("check", "g.pb", "--size", "x.1=7", "--size", "batch=2")["tensors"]
    assert tensors["y:0"]["shape"] == [2, 7, 4]
    done = cli("check", "g.pb", "--size", "z.1=7")
    assert (done.code, "no size of an input is named 'z.1'" in done.err) == (1, True)


def test_a_run_refuses_an_empty_feed(cli: Cli) -> None:
    save(shifted())
    feed = ["--feed", "x=zeros", "--size", "batch=0"]
    assert cli("run", "g.pb", *feed).code == 0
    done = cli("run", "g.pb", *feed, "--positive")
    assert (done.code, "--feed x: has shape [0, 2], with --positive" in done.err) == (1, True)
