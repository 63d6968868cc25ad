"""Feeds that are made up: `--feed x=random|zeros|ones`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_harness import Cli, in_folder, save

import tensordraft as td


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


def of_dtype(dtype: Any, shape: Any = (2, 3)) -> None:
    with td.Graph().as_default() as graph:
        td.identity(td.placeholder(dtype, shape, name="x"), name="y")
    save(graph)


@pytest.mark.parametrize(
    ("dtype", "zero", "one", "drawn"),
    [
        (td.float32, 0.0, 1.0, (0, 1)),
        (td.bfloat16, 0.0, 1.0, (0, 1)),
        (td.int64, 0, 1, (0, 9)),
        (td.uint8, 0, 1, (0, 9)),
        (td.int8, 0, 1, (0, 9)),
        (td.bool, False, True, (0, 1)),
        (td.complex64, [0.0, 0.0], [1.0, 0.0], None),
        (td.string, "", "1", None),
    ],
)
def test_values_are_of_the_dtype(cli: Cli, dtype: Any, zero: Any, one: Any, drawn: Any) -> None:
    of_dtype(dtype)
    found = {}
    for kind in ("zeros", "ones", "random"):
        answer = cli.json("run", "g.pb", "--feed", f"x={kind}")["y:0"]
        assert (answer["dtype"], answer["shape"]) == (dtype.name, [2, 3])
        found[kind] = answer["value"]
    assert found["zeros"] == [[zero] * 3] * 2
    assert found["ones"] == [[one] * 3] * 2
    flat = [item for row in found["random"] for item in row]
    assert len({str(item) for item in flat}) > 1
    if drawn is not None:
        assert drawn[0] <= min(flat) <= max(flat) <= drawn[1]


def test_sizes_are_said_or_one(cli: Cli) -> None:
    of_dtype(td.float32, ["batch", None, 3])
    shapes = {
        (): [1, 1, 3],
        ("--size", "batch=4"): [4, 1, 3],
        ("--size", "batch=4", "--size", "x.1=2"): [4, 2, 3],
        ("--shape", "x=n,5,3", "--size", "n=2"): [2, 5, 3],
    }
    for said, shape in shapes.items():
        assert cli.json("run", "g.pb", "--feed", "x=ones", *said)["y:0"]["shape"] == shape
    done = cli("run", "g.pb", "--feed", "x=ones", "--shape", "x=2")
    assert "'x:0' has the shape (batch, ?, 3), and cannot have (2,)" in done.err


def test_draws_are_the_same_each_time(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        x, z = (td.placeholder(td.float32, [50], name=name) for name in "xz")
        td.stack([x, z], name="y")
    save(graph)
    call = ["run", "g.pb", "--feed", "x=random", "--feed", "z=random"]
    first, again = (cli.json(*call)["y:0"]["value"] for _ in range(2))
    other = cli.json(*call, "--seed", "1")["y:0"]["value"]
    single = cli.json("run", "g.pb", "--feed", "x=random", "--feed", "z=ones")["y:0"]["value"]
    assert first == again
    assert first[0] == single[0]
    assert not set(first[0]) & set(first[1])
    assert not set(first[0]) & set(other[0])
    assert np.mean(first[0]) == pytest.approx(0.5, abs=0.2)


def test_what_cannot_be_filled_is_told(cli: Cli) -> None:
    of_dtype(td.float32, None)
    done = cli("run", "g.pb", "--feed", "x=random")
    assert "the rank of 'x:0' is not known; add --shape x=SIZES" in done.err
    assert cli("run", "g.pb", "--feed", "x=random", "--shape", "x=2").code == 0
    of_dtype(td.variant, [])
    assert (
        "'x:0' is a variant, and is not fed with ones" in cli("run", "g.pb", "--feed", "x=ones").err
    )
    of_dtype(td.float32, ["batch", 2])
    done = cli("run", "g.pb", "--feed", "x=random", "--along", "batch", "--out", "o.npy")
    assert "--along reads arrays from files" in done.err
