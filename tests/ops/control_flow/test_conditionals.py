"""Conditionals and loops whose course is known while the graph is built."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest

import tensordraft as td


@pytest.fixture(autouse=True)
def session() -> Iterator[td.Session]:
    with td.Graph().as_default(), td.Session() as session:
        yield session


def one() -> td.Tensor:
    return td.constant(1)


def two() -> td.Tensor:
    return td.constant(2)


def fails() -> td.Tensor:
    with td.control_dependencies([td.Assert(False, ["never"])]):
        return td.constant(0)


@pytest.mark.parametrize(("pred", "expected"), [(True, 1), (False, 2)])
def test_cond_takes_a_branch(session: td.Session, pred: bool, expected: int) -> None:
    assert session.run(td.cond(td.constant(pred), one, two)) == expected
    assert session.run(td.cond(pred, fn1=one, fn2=two)) == expected
    x = td.placeholder(td.float32, [3, None])
    known = td.equal(td.shape(x)[0], 3 if pred else 4)
    assert session.run(td.cond(known, one, two)) == expected


def test_the_other_branch_is_built_and_does_not_run(session: td.Session) -> None:
    def branch(name: str) -> Any:
        return lambda: td.get_variable(name, [], td.int32).assign(5)

    result = td.cond(td.constant(True), branch("yes"), branch("no"))
    assert [v.op.name for v in td.global_variables()] == ["yes", "no"]
    session.run(td.global_variables_initializer())
    assert session.run(result) == 5
    assert session.run(td.global_variables()) == [5, 0]
    assert session.run(td.cond(td.constant(True), one, fails)) == 1


def test_cond_returns_structures(session: td.Session) -> None:
    yes = td.constant(True)
    assert session.run(td.cond(yes, lambda: [1], lambda: [2])) == 1
    assert session.run(td.cond(yes, lambda: [1], lambda: [2], strict=True)) == [1]
    assert session.run(td.cond(yes, lambda: (1, [2.0]), lambda: (3, [4.0]))) == (1, [2.0])
    op = td.cond(yes, td.no_op, lambda: td.constant(1).op)
    assert op.type == "NoOp"
    sparse = td.SparseTensor([[0]], [1], [2])
    assert td.cond(yes, lambda: sparse, lambda: sparse) is sparse


def test_what_is_not_known_is_refused() -> None:
    pred = td.placeholder(td.bool, [])
    with pytest.raises(NotImplementedError, match="while_loop needs a predicate"):
        td.while_loop(lambda i: (i < 1) if i.op.type == "Const" else pred, lambda i: i + 1, [0])
    with pytest.raises(TypeError, match="needs two functions"):
        td.cond(td.constant(True), one)
    with pytest.raises(TypeError, match="same dtypes, got int32 and float32"):
        td.cond(td.constant(True), one, lambda: td.constant(1.0))
    with pytest.raises(TypeError, match="return alike, got 1 tensors and 2"):
        td.cond(td.constant(True), one, lambda: (1, 2))
    with pytest.raises(ValueError, match="must return something"):
        td.cond(td.constant(True), one, lambda: None)
    with pytest.raises(TypeError, match="rank 0"):
        td.cond(td.constant([True]), one, two)
    with pytest.raises(TypeError):
        td.cond(td.constant(1), one, two)


def test_case(session: td.Session) -> None:
    yes, no = td.constant(True, name="b"), td.constant(False, name="a")
    assert session.run(td.case([(no, one), (yes, two)])) == 2
    assert session.run(td.case([(yes, one), (yes, two)])) == 1
    assert session.run(td.case([(no, one)], default=two)) == 2
    assert session.run(td.case(OrderedDict([(yes, one), (no, two)]))) == 1
    other = td.constant(True, name="0")  # dicts are taken in the order of names
    assert session.run(td.case({yes: one, other: two})) == 2
    with pytest.raises(td.errors.InvalidArgumentError, match="none of the 1 predicates holds"):
        td.case([(no, one)])
    with pytest.raises(td.errors.InvalidArgumentError, match=r"numbers \[0, 1\]"):
        td.case([(yes, one), (yes, two)], exclusive=True)
    with pytest.raises(TypeError, match="needs pairs"):
        td.case([])


def test_while_loop(session: td.Session) -> None:
    assert session.run(td.while_loop(lambda i: i < 10, lambda i: i + 3, [td.constant(0)])) == 12
    result = td.while_loop(
        lambda i, total: td.less(i, 4),
        lambda i, total: [i + 1, total + td.cast(i, td.float32)],
        (td.constant(0), 0.5),
    )
    assert session.run(result) == (4, 6.5)
    kept = td.while_loop(lambda i: i < 1, lambda i: i + 1, [0], return_same_structure=True)
    assert session.run(kept) == [1]
    assert session.run(td.while_loop(lambda i: False, lambda i: i, [7])) == 7
    limited = td.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=5)
    assert session.run(limited) == 5


def test_a_loop_follows_shapes(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n", 2])
    _, wide = td.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, td.concat([y, y], 1)), [0, x])
    assert str(wide.shape) == "(n, 8)"
    assert session.run(wide, {x: [[1, 2]]}).tolist() == [[1, 2] * 4]


def test_the_rounds_of_a_loop_share_variables() -> None:
    def layer(x: td.Tensor) -> td.Tensor:
        with td.variable_scope(None, default_name="dense"):
            return td.matmul(x, td.get_variable("w", [2, 2]))

    x = td.placeholder(td.float32, [3, 2])
    td.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, layer(y)), [0, x])
    td.map_fn(lambda row: layer(td.expand_dims(row, 0)), x)
    td.foldl(lambda y, row: y + layer(td.expand_dims(row, 0)), x, td.zeros([1, 2]))
    names = [v.op.name for v in td.global_variables()]
    assert names == ["dense/w", "dense_1/w", "dense_2/w"]


def test_bad_loops() -> None:
    with pytest.raises(ValueError, match="within 10000 rounds"):
        td.while_loop(lambda i: True, lambda i: i, [td.constant(0)])
    with pytest.raises(ValueError, match="must return 1 tensors, got 2"):
        td.while_loop(lambda i: i < 1, lambda i: (i, i), [0])
    with pytest.raises(TypeError, match="has dtype float32, where int32"):
        td.while_loop(lambda i: i < 1, lambda i: td.constant(1.0), [0])
    with pytest.raises(ValueError, match="needs loop_vars"):
        td.while_loop(lambda: True, list, [])
