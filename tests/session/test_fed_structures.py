"""Structures of tensors as keys of a feed dict."""

from __future__ import annotations

import tensordraft as td


def test_named_tuples_of_tensors_are_fed() -> None:
    with td.Graph().as_default(), td.Session() as session:
        state = td.nn.rnn_cell.LSTMStateTuple(td.placeholder(td.float32), td.zeros([]))
        total = state.c + state.h
        value = td.nn.rnn_cell.LSTMStateTuple(1.0, 2.0)
        assert session.run(total, {(state,): (value,)}) == 3
        assert session.run(total, {state: value}) == 3
