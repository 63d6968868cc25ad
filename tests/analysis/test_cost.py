"""Costs are what the plan really does: operations counted by hand, bytes and peaks by looking."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import workspace_peaks
from workspace_peaks import BATCHES, WORKSPACES, built, image, numbers

import tensordraft as td

ROOT = Path(__file__).parent.parent.parent


# What TensorFlow's profiler counts for the same ops, and formulas by hand for the others.
FLOPS: dict[str, tuple[Callable[[], Any], str]] = {
    "product": (lambda: td.matmul(image("b", 8), numbers(8, 3)), "48*b"),
    "product of a transposed one": (
        lambda: td.matmul(image(8, "b"), numbers(8, 3), transpose_a=True),
        "48*b",
    ),
    "products": (lambda: td.matmul(image("b", 5, 4), image("b", 4, 6)), "240*b"),
    "convolution": (
        lambda: td.nn.conv2d(image("b", 8, 8, 3), numbers(3, 3, 3, 4), [1, 2, 2, 1], "SAME"),
        "3456*b",
    ),
    "of unknown space": (
        lambda: td.nn.conv2d(image(1, "h", "h", 3), numbers(3, 3, 3, 4), [1, 1, 1, 1], "SAME"),
        "216*h**2",
    ),
    "depthwise": (
        lambda: td.nn.depthwise_conv2d(
            image("b", 8, 8, 3), numbers(3, 3, 3, 2), [1, 1, 1, 1], "VALID"
        ),
        "3888*b",
    ),
    "bias": (lambda: td.nn.bias_add(image("b", 4), numbers(4)), "4*b"),
    "sum": (lambda: td.reduce_sum(image("b", 4), 1), "3*b"),
    "mean": (lambda: td.reduce_mean(image("b", 4), 1), "4*b"),
    "softmax": (lambda: td.nn.softmax(image("b", 4)), "20*b"),
    "pool": (
        lambda: td.nn.max_pool(image("b", 4, 4, 2), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        "32*b",
    ),
    "moves": (lambda: td.transpose(td.reshape(image("b", 4), [4, -1])), "0"),
    "letters": (lambda: td.einsum("bij,bjk->bik", image("b", 2, 3), image("b", 3, 5)), "60*b"),
    "several": (lambda: td.add_n([image("b", 4)] * 3), "8*b"),
    "spectrum": (lambda: td.fft(td.cast(image("b", 8), td.complex64)), "128*b"),
}


@pytest.mark.parametrize(("make", "flops"), FLOPS.values(), ids=FLOPS)
def test_operations(make: Callable[[], Any], flops: str) -> None:
    found = td.cost(built(make))
    assert str(found.flops) == flops
    assert found.uncounted == []


def test_bytes() -> None:
    found = td.cost(built(lambda: image("b", 4) * 2.0 + td.constant([1.0, 2.0, 3.0, 4.0])))
    rows = {row.type: row for row in found.by_op}
    assert str(rows["Mul"].read) == "16*b + 4"
    assert str(rows["Add"].read if "Add" in rows else rows["AddV2"].read) == "16*b + 16"
    assert str(found.bytes_written) == "32*b"
    assert str(found.bytes) == "64*b + 20"


def test_views_cost_nothing() -> None:
    found = td.cost(built(lambda: td.transpose(td.reshape(image("b", 4), [-1, 2]))))
    assert (found.bytes, found.peak_bytes.at({"b": 10})) == (0, 160 + 16)  # the permutation


def test_numbers_where_sizes_are_known() -> None:
    graph = built(lambda: td.nn.relu(image("b", 4)))
    assert td.cost(graph, sizes={"b": 3}).flops == 12
    assert td.cost(graph).at(b=3).flops == 12
    assert td.cost(graph).at(b=range(1, 4)).flops == (4, 12)
    assert td.cost(graph, sizes={"b": range(1, 4)}).bytes == (32, 96)
    assert td.cost(graph, shapes={"x": [7, 4]}).flops == 28
    assert td.cost(graph, "end", {"x": ["n", 4]}, {"n": 2}).peak_bytes == 64


def test_sizes_without_names_are_called_by_their_inputs() -> None:
    found = td.cost(built(lambda: td.nn.relu(td.placeholder(td.float32, [None, 4], name="x"))))
    assert found.names == ["x.0"]
    assert found.at(**{"x.0": 2}).flops == 8


def test_parameters() -> None:
    def make() -> Any:
        x = td.matmul(image("b", 4), td.get_variable("w", [4, 3]))
        return td.matmul(x, numbers(3, 2)) + 1.0

    assert td.cost(built(make)).parameters == 18


def test_the_costliest_branch_and_all_rounds_count() -> None:
    def branch() -> Any:
        x = image("b", 4)
        return td.cond(td.placeholder(td.bool, []), lambda: td.exp(td.exp(x)), lambda: x * 2.0)

    assert str(td.cost(built(branch)).flops) == "8*b"

    def loop() -> Any:
        x = image("b", 4)
        return td.while_loop(lambda v: td.reduce_sum(v) < 9.0, lambda v: [v * 2.0], [x])

    found = td.cost(built(loop))
    assert found.names == ["b", "while_rounds"]
    assert found.at(b=1, while_rounds=3).flops == 3 * (4 + 4)
    assert found.flops.names == {"b", "while_rounds"}
    assert {row.name for row in found.by_op} >= {"while/While/while/mul"}


@pytest.mark.parametrize(("limit", "flops"), [(10, "40*b"), ("size", "4*b**2")])
def test_rounds_that_are_counted_are_known(limit: Any, flops: str) -> None:
    def loop() -> Any:
        x = image("b", 4)
        most = td.shape(x)[0] if limit == "size" else limit
        _, result = td.while_loop(
            lambda i, v: i < most, lambda i, v: [i + 1, td.exp(v)], [td.constant(0), x]
        )
        return result

    found = td.cost(built(loop))
    exponentials = found.by_type()["Exp"]
    assert (str(exponentials.flops), found.names) == (flops, ["b"])


def test_what_is_constant_or_said_twice_does_not_run() -> None:
    def make() -> Any:
        x = image("b", 4)
        weights = numbers(4) * 2.0
        return td.exp(x) * weights + td.exp(x)

    types = [row.type for row in td.cost(built(make)).by_op]
    assert types.count("Exp") == 1
    assert types.count("Mul") == 1


def layers() -> td.Graph:
    """Products, chains in place, views, and what two read."""

    def make() -> Any:
        x = image("b", 64)
        left = td.nn.relu(td.matmul(x, numbers(64, 512)) + 1.0)
        right = td.exp(td.reshape(td.matmul(x, numbers(64, 512)), [-1, 512]))
        both = td.concat([left, right], 1)
        return td.reduce_sum(td.nn.softmax(both) * both, 1)

    return built(make)


def test_peak_is_what_is_alive() -> None:
    found = td.cost(layers(), sizes={"b": 500})
    with td.Session(graph=layers()) as session:
        feed = {"x:0": np.ones([500, 64], np.float32)}
        session.run("end:0", feed)
        tracemalloc.start()
        try:
            session.run("end:0", feed)
            alive = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    lasting = 500 * 64 * 4 + 2 * 64 * 512 * 4
    assert found.peak_bytes == pytest.approx(lasting + alive, rel=0.05)
    assert max(row.live for row in found.by_op) == found.peak_bytes


@pytest.fixture(scope="module")
def peaks() -> dict[tuple[str, int], int]:
    """Peak memory of runs in a separate process, where nothing else allocates."""
    program = Path(workspace_peaks.__file__)
    printed = subprocess.run([sys.executable, program], capture_output=True, check=True).stdout
    return {(name, batch): peak for name, batch, peak in json.loads(printed)}


@pytest.mark.parametrize("name", WORKSPACES)
@pytest.mark.parametrize("batch", BATCHES)
def test_what_kernels_take_is_in_the_peak(
    peaks: dict[tuple[str, int], int], name: str, batch: int
) -> None:
    graph = built(WORKSPACES[name])
    found = td.cost(graph, sizes={"b": batch})
    assert found.peak_bytes == pytest.approx(peaks[name, batch], rel=0.05)
    assert td.cost(graph).at(b=batch).peak_bytes == found.peak_bytes
    assert found.by_type()[found.by_op[-1].type].live <= found.peak_bytes


def test_a_frozen_network() -> None:
    """The count of TensorFlow's profiler for the example classifier is in this range."""
    path = next((ROOT / "examples").rglob("*.pb"))
    found = td.cost(str(path))
    fixed = found.at(**dict.fromkeys(found.names, 2))
    assert isinstance(fixed.flops, int)
    assert fixed.flops > 0
    assert sum(row.flops for row in fixed.by_op) == fixed.flops
    assert sum(row.flops for row in fixed.by_type().values()) == fixed.flops
    assert sum(row.flops for row in fixed.by_scope().values()) == fixed.flops


def test_machines() -> None:
    found = td.cost(built(lambda: td.matmul(image(100, 100), image(100, 100))))
    machine = td.Machine(1e9, 1e12, 0.0)
    assert machine.seconds(found) == pytest.approx(2e-3)
    with pytest.raises(ValueError, match="give each size a number"):
        machine.seconds(td.cost(built(lambda: td.exp(image("b")))))


@pytest.mark.parametrize(
    ("arguments", "clause"),
    [
        ({"sizes": {"n": 3}}, "no size is named 'n'; the named sizes of inputs are: b"),
        ({"sizes": {"b": -1}}, "a size must not be negative, got b = -1"),
        ({"sizes": {"b": range(0)}}, "the range of b must not be empty"),
        ({"shapes": {"y": [1]}}, "cannot set the shape of 'y'"),
        ({"shapes": {"x": [1, 5]}}, r"has the shape \(b, 4\), and cannot have \(1, 5\)"),
        ({"fetches": "nothing"}, "cannot fetch 'nothing'"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], clause: str) -> None:
    graph = built(lambda: td.nn.relu(image("b", 4)))
    with pytest.raises(ValueError, match=clause):
        td.cost(graph, **arguments)


def test_an_unknown_size_of_a_cost() -> None:
    with pytest.raises(ValueError, match="no size is named 'n'"):
        td.cost(built(lambda: td.exp(image("b")))).at(n=1)
