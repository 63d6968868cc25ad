"""Draws from a state that a variable holds: those of TensorFlow 2.21, recorded run by run.

For each op: the state, the arguments, and of each run the bytes that were drawn and the state
after it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td
from tensordraft.graph.registry import lookup

RECORDS = json.loads((Path(__file__).parent / "generator_draws.json").read_text())
covers("NonDeterministicInts", *{record["op"] for record in RECORDS})


def prepared(state: Any) -> tuple[Any, Any]:
    """The handle of a variable that holds a state, and the op that assigns it."""
    array = np.asarray(state)
    handle = lookup("VarHandleOp")(shape=array.shape, dtype=array.dtype)
    return handle, lookup("AssignVariableOp")(handle, array, dtype=array.dtype)


def drawing(handle: Any, record: dict[str, Any], algorithm: int = 1) -> Any:
    given = dict(record["arguments"])
    dtype = given.pop("dtype", None)
    inputs = [np.asarray(given.pop("shape"), np.int64)] if "shape" in given else []
    kind = dtype or ("uint64" if record["op"] == "RngReadAndSkip" else "int64")
    if "probs" in given:
        kind = "float32"
    inputs += [np.asarray(value, kind) for value in given.values()]
    attrs = {"dtype": dtype} if dtype and "minval" not in given else {}
    return lookup(record["op"])(handle, algorithm, *inputs, **attrs)


@pytest.mark.parametrize("record", RECORDS)
def test_draws(record: dict[str, Any]) -> None:
    with td.Graph().as_default(), td.Session() as session:
        handle, assign = prepared(record["state"])
        made = drawing(handle, record)
        state = lookup("ReadVariableOp")(handle, dtype=td.int64)
        session.run(assign)
        for data, after in record["runs"]:
            drawn = session.run(made)
            if data is not None:
                expected = np.frombuffer(bytes.fromhex(data), drawn.dtype)
                if "Normal" in record["op"]:
                    expected, drawn = expected.astype(np.float64), drawn.astype(np.float64)
                    np.testing.assert_allclose(drawn.ravel(), expected, rtol=1e-6)
                else:
                    assert drawn.tobytes() == expected.tobytes()
            assert session.run(state).tolist() == after


UNIFORM: dict[str, Any] = {
    "op": "StatefulUniform",
    "arguments": {"shape": [2], "dtype": "float32"},
}


@pytest.mark.parametrize(
    ("state", "algorithm", "clause"),
    [
        ([1, 2], 1, "3 elements or more, got int64 of shape \\[2\\]"),
        ([[1, 2, 3]], 1, "must be a vector of int64"),
        ([1.0, 2.0, 3.0], 1, "got float64 of shape"),
        ([1, 2, 3], 2, r"algorithm must be 1 \(Philox\) or 3, got 2"),
    ],
)
def test_what_is_no_generator_is_refused(state: Any, algorithm: int, clause: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        handle, assign = prepared(state)
        made = drawing(handle, UNIFORM, algorithm)
        session.run(assign)
        with pytest.raises(td.errors.InvalidArgumentError, match=clause):
            session.run(made)


def test_nothing_drawn_leaves_the_state() -> None:
    with td.Graph().as_default(), td.Session() as session:
        handle, assign = prepared([1, 2, 3])
        record = UNIFORM | {"arguments": {"shape": [0, 4], "dtype": "float32"}}
        made = drawing(handle, record, algorithm=3)
        session.run(assign)
        assert made.shape.as_list() == [0, 4]
        assert session.run(made).shape == (0, 4)
        state = session.run(lookup("ReadVariableOp")(handle, dtype=td.int64))
        assert state.tolist() == [1, 2, 3]


@pytest.mark.parametrize("op", ["RngSkip", "RngReadAndSkip"])
def test_a_skip_is_one_number(op: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        handle, assign = prepared([1, 2, 3])
        delta = td.placeholder("int64" if op == "RngSkip" else "uint64")
        made = lookup(op)(handle, 1, delta)
        session.run(assign)
        with pytest.raises(td.errors.InvalidArgumentError, match=r"delta must have rank 0"):
            session.run(made, {delta: [1, 2]})


def test_integers_of_no_seed_differ() -> None:
    with td.Graph().as_default(), td.Session() as session:
        made = lookup("NonDeterministicInts")(td.constant([2, 5], td.int64), dtype=td.uint64)
        first, second = session.run(made), session.run(made)
    assert first.shape == (2, 5)
    assert first.dtype == np.uint64
    assert (first != second).any()
