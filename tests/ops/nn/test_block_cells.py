"""Recurrent cells in one op."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers

RANDOM = np.random.RandomState(0)


def some(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype("f")


X = some(3, 2, 2)
CS, H, W = some(2, 3), some(2, 3), some(5, 12)
PEEPS, B = [some(3) for _ in range(3)], some(12)
GRU = [some(5, 6), some(5, 3), some(6), some(3)]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def step(
    x: Any,
    cs: Any,
    h: Any,
    order: str = "icfo",
    bias: float = 1.0,
    clip: float = 0.0,
    peep: int = 0,
) -> list[Any]:
    columns = np.split(np.concatenate([x, h], 1) @ W + B, 4, 1)
    gates = dict(zip(order, columns, strict=True))
    wci, wcf, wco = (peep * part for part in PEEPS)
    i, f = sigmoid(gates["i"] + cs * wci), sigmoid(gates["f"] + bias + cs * wcf)
    ci = np.tanh(gates["c"])
    cs = ci * i + cs * f
    if clip:
        cs = np.clip(cs, -clip, clip)
    o, co = sigmoid(gates["o"] + cs * wco), np.tanh(cs)
    return [part.astype("f") for part in (i, cs, f, o, ci, co, co * o)]


def steps(number: int, **settings: Any) -> tuple[Any, ...]:
    made, cs, h = np.zeros((7, *X.shape[:2], 3), "f"), CS, H
    for t in range(number):
        made[:, t] = step(X[t], cs, h, **settings)
        cs, h = made[1, t], made[6, t]
    return tuple(made)


def gru() -> tuple[Any, ...]:
    w_ru, w_c, b_ru, b_c = GRU
    r, u = np.split(sigmoid(np.concatenate([X[0], H], 1) @ w_ru + b_ru), 2, 1)
    c = np.tanh(np.concatenate([X[0], H * r], 1) @ w_c + b_c)
    return r, u, c, u * H + (1 - u) * c


STATE = [CS, H, W, *PEEPS, B]
CLOSE: Any = {"rtol": 1e-5, "atol": 1e-6}
PEEPING = {"use_peephole": True, "cell_clip": 0.5, "forget_bias": 0.5}
LATER = {"use_peephole": True, "cell_clip": 0.5}
TWO, THREE = np.int64(2), np.int64(3)
CASES = [
    Case("LSTMBlockCell", [X[0], *STATE], expected=tuple(step(X[0], CS, H, clip=3)), **CLOSE),
    Case(
        "LSTMBlockCell",
        [X[0], *STATE],
        PEEPING,
        expected=tuple(step(X[0], CS, H, bias=0.5, clip=0.5, peep=1)),
        id="peepholes",
        **CLOSE,
    ),
    Case("BlockLSTM", [TWO, X, *STATE], expected=steps(2, clip=3), **CLOSE),
    Case(
        "BlockLSTM",
        [THREE, X, *STATE],
        PEEPING,
        expected=steps(3, bias=0.5, clip=0.5, peep=1),
        id="peepholes",
        **CLOSE,
    ),
    Case(
        "BlockLSTM", [np.int64(0), X[:0], *STATE], expected=(np.zeros((0, 2, 3), "f"),) * 7, id="0"
    ),
    Case(
        "BlockLSTM",
        [np.int64(4), X, *STATE],
        expected=raises(r"seq_len_max = 4 is not in \[0, 3\]", "run"),
        id="long",
    ),
    Case("BlockLSTMV2", [THREE, X, *STATE], expected=steps(3, order="ifco", bias=0), **CLOSE),
    Case(
        "BlockLSTMV2",
        [TWO, X, *STATE],
        LATER,
        expected=steps(2, order="ifco", bias=0, clip=0.5, peep=1),
        id="peepholes",
        **CLOSE,
    ),
    Case("GRUBlockCell", [X[0], H, *GRU], expected=gru(), **CLOSE),
    *(
        Case("LSTMBlockCell", [X[0], *state], expected=raises(clause, "run"), id=clause[:6])
        for state, clause in [
            ([CS, H, W[:4], *PEEPS, B], r"w and b must be of shapes \[5, 12\] and \[12\]"),
            ([CS[:, :2], H[:, :2], W, *PEEPS, B], r"w and b must be .* \[4, 8\] and \[8\]"),
        ]
    ),
    Case(
        "LSTMBlockCell",
        [X[0], CS, H, W, PEEPS[0][:2], *PEEPS[1:], B],
        PEEPING,
        expected=raises(r"wci, wcf and wco must be of shape \[3\]", "run"),
        id="peeps",
    ),
    Case("LSTMBlockCell", [X[0, :1], *STATE], expected=raises("x"), id="batch"),
    Case("GRUBlockCell", [X[0, :1], H, *GRU], expected=raises("x"), id="batch"),
    Case(
        "GRUBlockCell",
        [X[0], H, GRU[0][:4], *GRU[1:]],
        expected=raises(r"must be of shapes \[\[5, 6\], \[5, 3\], \[6\], \[3\]\]", "run"),
        id="weights",
    ),
]
test_block_cells = check(CASES)


def test_shapes() -> None:
    infers("BlockLSTM", "[];[t,b,2];[b,u];?;?;?;?;?;?", ";".join(["[t,b,u]"] * 7))
    infers("GRUBlockCell", "[b,?];[?,u];?;?;?;?", ";".join(["[b,u]"] * 4))
