"""Loops unrolled into ops of their own for each round, where that is asked for."""

from __future__ import annotations

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")


def test_a_loop_follows_shapes(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n", 2])
    _, wide = td.while_loop(
        lambda i, y: i < 2, lambda i, y: (i + 1, td.concat([y, y], 1)), [0, x], unroll=True
    )
    assert str(wide.shape) == "(n, 8)"
    assert session.run(wide, {x: [[1, 2]]}).tolist() == [[1, 2] * 4]


def test_the_rounds_of_a_loop_share_variables() -> None:
    def layer(x: td.Tensor) -> td.Tensor:
        with td.variable_scope(None, default_name="dense"):
            return td.matmul(x, td.get_variable("w", [2, 2]))

    x = td.placeholder(td.float32, [3, 2])
    td.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, layer(y)), [0, x], unroll=True)
    td.map_fn(lambda row: layer(td.expand_dims(row, 0)), x, unroll=True)
    zeros = td.zeros([1, 2])
    td.foldl(lambda y, row: y + layer(td.expand_dims(row, 0)), x, zeros, unroll=True)
    names = [v.op.name for v in td.global_variables()]
    assert names == ["dense/w", "dense_1/w", "dense_2/w"]


def test_values_of_every_round(session: td.Session) -> None:
    x = td.constant([[1, 2], [3, 4]])
    assert session.run(td.map_fn(lambda row: row * 2, x, unroll=True)).tolist() == [[2, 4], [6, 8]]
    both = td.map_fn(lambda row: (row, row), x, (td.int32, td.int32), unroll=True)
    assert session.run(both)[1].tolist() == [[1, 2], [3, 4]]
    assert session.run(td.foldl(lambda a, b: a * 10 + b, [1, 2, 3], unroll=True)) == 123
    assert session.run(td.foldr(lambda a, b: a * 10 + b, [1, 2, 3], unroll=True)) == 321
    assert session.run(td.scan(lambda a, b: a + b, [1, 2, 3], unroll=True)).tolist() == [1, 3, 6]
    back = td.scan(lambda a, b: a + b, [1, 2, 3], 10, reverse=True, unroll=True)
    assert session.run(back).tolist() == [16, 15, 13]
    limited = td.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=5, unroll=True)
    assert session.run(limited) == 5


def test_what_is_refused() -> None:
    pred = td.placeholder(td.bool, [])
    with pytest.raises(NotImplementedError, match="in iteration 2 it is not"):
        td.while_loop(
            lambda i: (i < 1) if i.op.type == "Const" else pred,
            lambda i: i + 1,
            [0],
            unroll=True,
        )
    with pytest.raises(ValueError, match="within 10000 iterations"):
        td.while_loop(lambda i: True, lambda i: i, [td.constant(0)], unroll=True)
    with pytest.raises(ValueError, match="number of elements is 1 and 2"):
        td.while_loop(lambda i: i < 1, lambda i: (i, i), [0], unroll=True)
    with pytest.raises(TypeError, match="is float32, and must be int32"):
        td.while_loop(lambda i: i < 1, lambda i: td.constant(1.0), [0], unroll=True)
    with pytest.raises(ValueError, match="needs loop_vars"):
        td.while_loop(lambda: True, list, [])
    with pytest.raises(ValueError, match="first dimension of elems must be known"):
        td.map_fn(lambda row: row, td.placeholder(td.float32, [None]), unroll=True)
    with pytest.raises(ValueError, match="no slices to map"):
        td.map_fn(lambda row: row, td.zeros([0]), unroll=True)
