"""`tensordraft cost`: what a run of a graph file will cost."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cli_harness import Cli, in_folder, save

import tensordraft as td


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


@pytest.fixture(autouse=True)
def graph(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 8], name="x")
        with td.name_scope("layer"):
            hidden = td.matmul(x, td.constant([[1.0] * 3] * 8), name="product")
        td.nn.relu(hidden, name="y")
    save(graph)


def test_formulas(cli: Cli) -> None:
    out = cli("cost", "g.pb").out
    assert "operations  51*batch" in out
    assert "layer/product (MatMul)" in out


def test_numbers_and_ranges(cli: Cli) -> None:
    assert cli.json("cost", "g.pb", "--size", "batch=10")["flops"] == 510
    assert cli.json("cost", "g.pb", "--size", "batch=1..10")["flops"] == [51, 510]
    assert cli.json("cost", "g.pb", "--size", "batch")["flops"] == "51*batch"
    assert cli.json("cost", "g.pb", "--shape", "x=n,8", "--size", "n=2")["sizes"] == {"n": 2}


def test_groups(cli: Cli) -> None:
    rows = cli.json("cost", "g.pb", "--size", "batch=1", "--by", "type")["by_type"]
    assert [(row["name"], row["flops"]) for row in rows] == [("MatMul", 48), ("Relu", 3)]
    rows = cli.json("cost", "g.pb", "--by", "scope")["by_scope"]
    assert [row["name"] for row in rows] == ["layer", "/"]
    assert "layer" in cli("cost", "g.pb", "--by", "scope").out


def test_a_page(cli: Cli) -> None:
    done = cli("cost", "g.pb", "--html", "cost.html")
    assert "saved in cost.html" in done.out
    page = Path("cost.html").read_text()
    HTMLParser().feed(page)
    assert "layer/product" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_time(cli: Cli) -> None:
    assert cli.json("cost", "g.pb", "--size", "batch=4", "--time")["seconds"] > 0


@pytest.mark.parametrize("size", ["batch=", "=3", "batch=x", "batch=3..", "batch=9..3", "batch=-1"])
def test_sizes_that_make_no_sense(cli: Cli, size: str) -> None:
    assert cli("cost", "g.pb", "--size", size).code == 2


def test_sizes_that_there_are_not(cli: Cli) -> None:
    for size in ("seq=3", "seq"):
        done = cli("cost", "g.pb", "--size", size)
        assert done.code == 1
        assert "the named sizes of inputs are: batch" in done.err


def test_contracts(cli: Cli) -> None:
    done = cli("contract", "g.pb", "--size", "batch=2", "--out", "g.toml")
    assert done.out == "saved in g.toml\n"
    assert "flops = 102" in cli("contract", "g.pb", "--size", "batch=2").out
    assert cli("check", "g.pb", "--contract", "g.toml").code == 0
    with td.Graph().as_default() as graph:
        td.nn.relu(td.placeholder(td.float32, ["batch", 8], name="x"), name="y")
    save(graph, "h.pb")
    done = cli("check", "h.pb", "--contract", "g.toml")
    assert done.code == 1
    assert "breach: TC02 output y is float32[batch, 3]: it is float32(batch, 8)" in done.out
    assert "breach: TC02" in cli("diff", "g.pb", "h.pb", "--contract", "g.toml").out
    assert "<failure" in cli("check", "h.pb", "--contract", "g.toml", "--format", "junit").out
    assert (
        '"ruleId": "TC02"' in cli("check", "h.pb", "--contract", "g.toml", "--format", "sarif").out
    )


def test_graphs_that_are_not_trusted(cli: Cli) -> None:
    assert cli("check", "g.pb", "--untrusted").code == 0
    with td.Graph().as_default() as graph:
        td.read_file("secrets", name="y")
    save(graph, "h.pb")
    done = cli("check", "h.pb", "--untrusted")
    assert done.code == 1
    assert "TC08 no file is read or written: but by 'y' (ReadFile)" in done.out
