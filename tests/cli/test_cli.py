"""The command line: `show`, `ops`, and what all commands have in common."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_harness import Cli, Done, constants, in_folder, save, shifted, with_unsupported_ops

import tensordraft as td
from tensordraft.graph.registry import definitions


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


# show


def test_show_tells_types_shapes_and_structure(cli: Cli) -> None:
    save(shifted())
    summary = cli("show", "g.pb")
    assert summary == Done(
        0,
        """\
g.pb: 3 nodes, GraphDef version 2474

inputs
  x:0  float32[batch,2]

outputs
  y:0  float32[batch,2]

ops
  1 AddV2, 1 Const, 1 Placeholder

parameters
  4 B in 1 tensor

widest tensors, with unknown sizes counted as 1
  x:0  float32[batch,2]  8 B
  y:0  float32[batch,2]  8 B
""",
        "",
    )
    assert cli("show", "g.pb", "--nodes") == Done(
        0,
        f"""\
{summary.out}
nodes
  nr  op           result            reads  name
  0   Placeholder  float32[batch,2]         x
  1   Const        float32[]         = 1.0  one
  2   AddV2        float32[batch,2]  0 1    y
""",
        "",
    )


def test_show_json_holds_the_same(cli: Cli) -> None:
    save(shifted(), "g.pbtxt")
    assert "nodes" not in cli.json("show", "g.pbtxt")
    shown = cli.json("show", "g.pbtxt", "--nodes")
    assert (shown["inputs"], shown["outputs"], shown["unsupported"]) == (["x"], ["y"], {})
    assert shown["ops"] == {"Placeholder": 1, "Const": 1, "AddV2": 1}
    assert (shown["parameter_bytes"], shown["widest"]) == (4, {"x:0": 8, "y:0": 8})
    assert shown["nodes"][2] == {
        "name": "y",
        "op": "AddV2",
        "device": "",
        "inputs": ["x:0", "one:0"],
        "control_inputs": [],
        "results": [{"name": "y:0", "dtype": "float32", "shape": ["batch", 2]}],
    }


def test_show_tells_unknown_sizes_and_ranks_apart(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        td.placeholder(td.int32, [None, 3], name="sizes")
        td.placeholder(td.int32, name="rank")
    save(graph)
    text = cli("show", "g.pb").out
    assert "sizes:0  int32[sizes.0,3]\n" in text
    assert "rank:0   int32[...]\n" in text
    results = [node["results"][0]["shape"] for node in cli.json("show", "g.pb", "--nodes")["nodes"]]
    assert results == [[None, 3], None]


def test_show_tells_what_takes_memory(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float64, [None, 1000], name="x")
        weights = td.Variable(td.zeros([1000, 100], td.float64), name="w")
        low = td.placeholder(td.bool, [3], name="low")
        td.constant("text", name="text")
        td.matmul(x, weights, name="y")
        td.placeholder(td.float32, name="unknown")
        for i in range(5):
            td.identity(low, name=f"low_{i}")
    save(graph)
    text = cli("show", "g.pb").out
    assert "parameters\n  781 KiB in 4 tensors\n" in text  # w, two that zeros makes, and text
    assert re.search(r"(?m)^  x:0 +float64\[x\.0,1000\] +7.81 KiB$", text)
    assert cli.json("show", "g.pb")["widest"] == {
        "zeros:0": 800_000,
        "w/Assign:0": 800_000,
        "w/read:0": 800_000,
        "x:0": 8000,
        "y:0": 800,
    }


def test_show_writes_small_constants_as_they_are(cli: Cli) -> None:
    values = {"f": 0.1, "i": [[1], [-2]], "b": [True, False], "s": [b"a", b"\xff"], "e": [[]]}
    graph = constants(**values)
    graph_def = graph.as_graph_def()
    bad = graph_def.node.add(name="bad", op="Const")
    bad.attr["dtype"].type = td.float32.as_datatype_enum
    bad.attr["value"].tensor.CopyFrom(td.make_tensor_proto(1.0))
    bad.attr["value"].tensor.tensor_content = b"123"
    save(graph_def)
    rows = [row.split(maxsplit=3) for row in cli("show", "g.pb", "--nodes").out.splitlines()[-6:]]
    assert [row[3].rsplit(maxsplit=1)[0] for row in rows[:5]] == [
        "= 0.1",
        "= [[1] [-2]]",
        "= [True False]",
        "= [b'a' b'\\xff']",
        "= [[]]",
    ]
    assert rows[5][1:] == ["Const", "float32[]", "bad"]


def test_show_keeps_the_table_narrow(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        many = [td.constant(i, name=f"c{i}") for i in range(9)]
        td.add_n([*many, td.constant([2, 3, 10], name="last")[0]], name="sum")
    save(graph)
    text = cli("show", "g.pb", "--nodes").out
    assert re.search(r"(?m)AddN +int32\[\] +0 1 2 3 4 5 \+4 +sum$", text)
    assert re.search(r"(?m)Const +int32\[3\] += \[2 3 10\] +last$", text)


def test_show_reads_control_inputs_and_ops_without_result(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        one = td.constant([1.0] * 5, name="one")
        with td.control_dependencies([one]):
            graph.create_op("NoOp", [], name="done")
    save(graph)
    text = cli("show", "g.pb", "--nodes").out
    assert "outputs\n  done  no result (NoOp)\n" in text
    assert text.endswith("  1   NoOp               ^0     done\n")
    assert "inputs\n  none\n" in text


def test_show_goes_as_far_as_the_ops_are_supported(cli: Cli) -> None:
    save(with_unsupported_ops())
    done = cli("show", "g.pb", "--nodes")
    assert done.code == 0
    assert "\nnot supported" in done.out
    assert "\n  1 NoSuchOp\n" in done.out
    rows = done.out.splitlines()[-3:]
    assert [row.split() for row in rows] == [
        ["2", "AddV2", "float32[batch,2]", "0", "1", "y"],
        ["3", "NoSuchOp", "variant[...],", "float32[...]", "2", "odd"],
        ["4", "Identity", "float32[...]", "3:1", "^0", "last"],
    ]
    assert "outputs\n  last:0  float32[...]\n" in done.out


def test_show_of_an_empty_graph(cli: Cli) -> None:
    save(td.Graph())
    done = cli("show", "g.pb")
    assert done.code == 0
    assert done.out.startswith("g.pb: 0 nodes")


def test_show_keeps_long_strings_and_control_characters_off_the_terminal(cli: Cli) -> None:
    save(constants(long=b"ab" * 100, bell="\N{BELL}\N{ESCAPE}[31m"))
    graph_def = td.GraphDef()
    graph_def.node.add(name="a", op="\N{ESCAPE}[2J")
    save(graph_def, "evil.pb")
    texts = [cli("show", name, "--nodes").out for name in ("g.pb", "evil.pb")] + [
        cli("ops", "evil.pb").out
    ]
    assert all(text.replace("\n", "").isprintable() for text in texts)
    assert max(map(len, texts[0].splitlines())) < 100


# ops


def test_ops_lists_every_op_with_its_signature(cli: Cli) -> None:
    lines = cli("ops").out.splitlines()
    assert [line.split()[0] for line in lines] == [d.name for d in definitions()]
    [identity] = [line for line in lines if line.startswith("Identity ")]
    assert identity.split(maxsplit=1)[1] == "(input: T -> output: T) [T: type]"
    assert cli.json("ops")["Identity"] == "(input: T -> output: T) [T: type]"


def test_ops_of_a_file_tells_which_are_supported(cli: Cli) -> None:
    save(shifted())
    done = cli("ops", "g.pb")
    assert done.code == 0
    assert done.out.startswith("AddV2        1 node  supported\n")
    assert done.out.endswith("\ng.pb: 3 op types, all supported\n")


def test_ops_of_a_file_names_those_that_are_not(cli: Cli) -> None:
    save(with_unsupported_ops())
    done = cli("ops", "g.pb")
    assert done.code == 1
    assert "\nNoSuchOp     1 node  NOT SUPPORTED\n" in done.out
    assert done.out.endswith("\ng.pb: 1 of 5 op types not supported: NoSuchOp\n")
    assert cli("ops", "g.pb", "--json").code == 1
    assert cli.json("ops", "g.pb")["NoSuchOp"] == {"nodes": 1, "supported": False}


# all commands


@pytest.mark.parametrize("command", ["show", "run", "ops"])
@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("absent.pb", "there is no file 'absent.pb'"),
        (".", "there is no SavedModel in"),
        ("bad.pb", "bad.pb is not a GraphDef"),
        ("bad.pbtxt", "bad.pbtxt is not a GraphDef"),
    ],
)
def test_an_unreadable_file_is_one_line(cli: Cli, command: str, file: str, complaint: str) -> None:
    Path("bad.pb").write_bytes(b"\xff\xff")
    Path("bad.pbtxt").write_text("node {")
    done = cli(command, file)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"tensordraft: {complaint}")
    assert done.err.count("\n") == 1


def test_a_malformed_node_is_named(cli: Cli) -> None:
    graph_def = shifted().as_graph_def()
    graph_def.node[2].input[:] = ["x"]
    save(graph_def)
    done = cli("show", "g.pb")
    assert (done.code, done.out) == (1, "")
    assert "in the node 'y' (AddV2)" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["paint"],
        ["show"],
        ["run", "g.pb", "--feed", "x"],
        ["run", "g.pb", "--feed", "=1"],
        ["run", "g.pb", "--scale", "1/0"],
        ["run", "g.pb", "--mean", "1,x"],
        ["run", "g.pb", "--out", "out.txt"],
        ["ops", "a.pb", "b.pb"],
    ],
)
def test_usage_errors_have_code_2(cli: Cli, arguments: list[str]) -> None:
    done = cli(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("usage: tensordraft")


def test_help_and_version(cli: Cli) -> None:
    assert cli("--version") == Done(0, f"tensordraft {td.__version__}\n", "")
    for arguments in ([], ["show"], ["run"], ["ops"]):
        done = cli(*arguments, "--help")
        assert done.code == 0
        assert done.out.startswith("usage: tensordraft")


@pytest.mark.parametrize(
    ("error", "code", "complaint"),
    [
        (MemoryError(), 1, "tensordraft: g.pb: MemoryError\n"),
        (OSError(5, "Input/output error", "g.pb"), 1, "tensordraft: g.pb: Input/output error\n"),
        (ValueError("one\n  two \a"), 1, "tensordraft: g.pb: one\n  two \\x07\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_goes_wrong_is_told_in_a_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, complaint: str
) -> None:
    def fail(path: str, signature: str | None) -> None:
        raise error

    monkeypatch.setattr("tensordraft.cli.show.GraphFile", fail)
    assert cli("show", "g.pb") == Done(code, "", complaint)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tensordraft", *arguments]


def test_the_module_runs_as_a_command(tmp_path: Path) -> None:
    path = str(tmp_path / "g.pb")
    td.save_graph(shifted(), path)
    done = subprocess.run(
        command("run", path, "--feed", "x=[[1, 2]]"), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "y:0  float32[1,2]\n[[2. 3.]]\n")
    failed = subprocess.run(command("run", path), capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes break differently elsewhere")
def test_a_reader_who_leaves_is_no_error_message() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command("ops"), stdout=writer, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_any_terminal_can_show_the_text(tmp_path: Path) -> None:
    path = str(tmp_path / "g.pb")
    td.save_graph(constants(long="a" * 100), path)
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        command("show", path, "--nodes"), capture_output=True, check=False, env=ascii_only
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2026" in done.stdout
