"""Helpers of the command-line tests."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tensordraft as td
from tensordraft.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Cli:
    """Runs commands in this process, in a folder of their own."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Done:
        self._capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as exit:
            code = exit.code if isinstance(exit.code, int) else -1
        return Done(code, *self._capsys.readouterr())

    def json(self, *arguments: str) -> Any:
        done = self(*arguments, "--json")
        assert done.err == ""
        assert done.out.count("\n") == 1
        return json.loads(done.out, parse_constant=lambda name: pytest.fail(f"not JSON: {name}"))


def in_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    """For a fixture: a `Cli` in `folder`, in which nothing half-written may remain."""
    with contextlib.chdir(folder):
        yield Cli(capsys)
    assert not list(folder.glob("*.part"))


def save(graph_def: td.GraphDef | td.Graph, name: str = "g.pb") -> None:
    td.save_graph(graph_def, name)


def shifted(dtype: Any = td.float32) -> td.Graph:
    """`y = x + 1`, for `x` with a named batch."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(dtype, ["batch", 2], name="x")
        td.add(x, td.constant(1, dtype, name="one"), name="y")
    return graph


def with_unsupported_ops() -> td.GraphDef:
    """`shifted`, of which `odd` (an op that does not exist) takes `y`, and `last` takes `odd`."""
    graph_def = shifted().as_graph_def()
    graph_def.node.add(name="odd", op="NoSuchOp", input=["y"])
    last = graph_def.node.add(name="last", op="Identity", input=["odd:1", "^x"])
    last.attr["T"].type = td.float32.as_datatype_enum
    return graph_def


def constants(**values: Any) -> td.Graph:
    """A constant for each name: a value, or an ndarray where the dtype matters."""
    with td.Graph().as_default() as graph:
        for name, value in values.items():
            td.constant(value, name=name)
    return graph
