"""Gradients of recurrent cells in one op: those that TensorFlow 2.21 gives, recorded."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from harness import covers
from places import GOLDEN

import tensordraft as td
from tensordraft.graph.registry import lookup

RECORDS = json.loads((GOLDEN / "cell_gradients.json").read_text())
covers("BlockLSTMGrad", "BlockLSTMGradV2", "GRUBlockCellGrad", "LSTMBlockCellGrad")

RANDOM = np.random.RandomState(3)


def some(*sizes: int) -> np.ndarray:
    return (RANDOM.normal(size=sizes) * 0.7).astype("f")


X, CS, H, W = some(3, 2, 2), some(2, 3), some(2, 3), some(5, 12)
STATE = [CS, H, W, *(some(3) for _ in range(3)), some(12)]
GRU = [some(5, 6), some(5, 3), some(6), some(3)]
OF_CS, OF_H = some(3, 2, 3), some(3, 2, 3)
THREE, TWO = np.int64(3), np.int64(2)


def agree(session: td.Session, made: Any, key: str) -> None:
    parts = session.run(list(made))
    for tensor, part, expected in zip(made, parts, RECORDS[key], strict=True):
        assert tensor.shape.as_list() == list(part.shape)
        np.testing.assert_allclose(part.ravel(), expected, rtol=1e-4, atol=2e-6)


def along_time(name: str, peeps: bool, most: Any = THREE) -> Any:
    made = lookup(name)(most, X, *STATE, use_peephole=peeps, cell_clip=0.5)
    gradient = lookup(name.replace("LSTM", "LSTMGrad"))
    return gradient(most, X, *STATE, *made, OF_CS, OF_H, use_peephole=peeps)


@pytest.mark.parametrize("peeps", [False, True])
@pytest.mark.parametrize("name", ["BlockLSTM", "BlockLSTMV2"])
def test_along_time(session: td.Session, name: str, peeps: bool) -> None:
    agree(session, along_time(name, peeps), f"{name} {peeps}")


@pytest.mark.parametrize("peeps", [False, True])
def test_a_step(session: td.Session, peeps: bool) -> None:
    made = lookup("LSTMBlockCell")(X[0], *STATE, use_peephole=peeps, cell_clip=0.5)[:6]
    gradient = lookup("LSTMBlockCellGrad")
    given = gradient(X[0], *STATE, *made, OF_CS[0], OF_H[0], use_peephole=peeps)
    agree(session, given, f"LSTMBlockCell {peeps}")


def gru(h_grad: Any = OF_H[0], w_c: Any = GRU[1]) -> Any:
    made = lookup("GRUBlockCell")(X[0], H, *GRU)[:3]
    return lookup("GRUBlockCellGrad")(X[0], H, GRU[0], w_c, *GRU[2:], *made, h_grad)


def test_gru(session: td.Session) -> None:
    agree(session, gru(), "GRUBlockCell")


@pytest.mark.parametrize("name", ["BlockLSTM", "BlockLSTMV2"])
def test_steps_that_were_not_taken_have_no_part(session: td.Session, name: str) -> None:
    shorter = session.run(list(along_time(name, True, TWO)))
    assert not shorter[0][2].any()
    made = lookup(name)(TWO, X[:2], *STATE, use_peephole=True, cell_clip=0.5)
    gradient = lookup(name.replace("LSTM", "LSTMGrad"))
    alone = gradient(TWO, X[:2], *STATE, *made, OF_CS[:2], OF_H[:2], use_peephole=True)
    for part, expected in zip(shorter[1:], session.run(list(alone))[1:], strict=True):
        assert part.tolist() == expected.tolist()


def fed(value: Any) -> Any:
    return td.placeholder_with_default(value, None)


@pytest.mark.parametrize(
    ("make", "clause"),
    [
        (lambda: along_time("BlockLSTM", False, fed(np.int64(4))), r"= 4 is not in \[0, 3"),
        (lambda: gru(h_grad=fed(OF_H[0, :1])), r"d_h must have shape \[2, 3\], got \[1, 3\]"),
        (lambda: gru(w_c=fed(GRU[0])), r"w_c must have shape \[5, 3\], got \[5, 6\]"),
        (
            lambda: lookup("LSTMBlockCellGrad")(
                X[0], *STATE, *[fed(CS[:, :1])] * 8, use_peephole=False
            ),
            r"i must have shape \[2, 3\], got \[2, 1\]",
        ),
        (
            lambda: lookup("LSTMBlockCellGrad")(
                X[0], *STATE[:3], fed(CS), *STATE[4:], *[CS] * 8, use_peephole=True
            ),
            r"wci must have shape \[3\], got \[2, 3\]",
        ),
    ],
)
def test_shapes_that_do_not_fit(session: td.Session, make: Any, clause: str) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=clause):
        session.run(list(make()))
