"""Conditionals and loops whose course is known while the graph is built."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")


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
    assert session.run(td.cond(td.constant(pred), fn1=one, fn2=two)) == expected
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
    assert session.run(td.cond(yes, td.no_op, lambda: td.constant(1).op))
    sparse = td.SparseTensor([[0]], [1], [2])
    assert session.run(td.cond(yes, lambda: sparse, lambda: sparse)).values.tolist() == [1]
    rows = td.IndexedSlices([[1.0]], td.constant([2]))
    assert session.run(td.cond(yes, lambda: rows, lambda: rows)).indices.tolist() == [2]


def test_what_a_conditional_refuses() -> None:
    with pytest.raises(TypeError, match="must not be a Python bool"):
        td.cond(True, one, two)
    with pytest.raises(TypeError, match="false_fn must be callable"):
        td.cond(td.constant(True), one)
    with pytest.raises(ValueError, match=r"same dtypes .* got int32 and float32"):
        td.cond(td.constant(True), one, lambda: td.constant(1.0))
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        td.cond(td.constant(True), one, lambda: (1, 2))
    with pytest.raises(TypeError, match="one has a tuple, the other has a list"):
        td.cond(td.constant(True), lambda: (1, 2), lambda: [1, 2])
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
    nothing, both = td.case([(no, one)]), td.case([(yes, one), (yes, two)], exclusive=True)
    assert session.run(nothing, {no: True}) == 1
    with pytest.raises(td.errors.InvalidArgumentError, match="None of the conditions"):
        session.run(nothing)
    with pytest.raises(td.errors.InvalidArgumentError, match="More than one condition"):
        session.run(both)
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
