"""Sizes with names stand for one number in a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tensordraft as td


@pytest.fixture
def session() -> Iterator[td.Session]:
    with td.Graph().as_default(), td.Session() as session:
        yield session


def test_an_error_names_both_feeds(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n"], name="x")
    y = td.placeholder(td.float32, [2, "n"], name="y")
    z = x + y
    call = session.make_callable(z, [x, y])
    assert session.run(z, {x: [1, 2], y: np.ones([2, 2])}).tolist() == [[2, 3], [2, 3]]
    wrong = ([1.0], np.ones([2, 3], np.float32))
    message = r"shape \(2, 3\).*'y:0'.*n = 1 .*'x:0'"
    with pytest.raises(ValueError, match=message):
        session.run(z, {x: wrong[0], y: wrong[1]})
    with pytest.raises(ValueError, match=message):
        call(*wrong)


def test_a_name_may_occur_twice_in_one_shape(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n", "n"], name="x")
    assert session.run(td.shape(x), {x: np.ones([3, 3])}).tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"shape \(2, 4\).*'x:0'.*n = 2"):
        session.run(x, {x: np.ones([2, 4])})


def test_expressions_of_names_are_held_to_them(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n"], name="x")
    twice = td.concat([x, x], 0)
    assert session.run(twice + 1.0, {x: [1], twice: [1, 2]}).tolist() == [2, 3]
    with pytest.raises(ValueError, match=r"shape \(3,\).*2\*n.*n = 1 .*'x:0'"):
        session.run(twice + 1.0, {x: [1], twice: [1, 2, 3]})
    assert session.run(twice + 1.0, {twice: [1, 2, 3]}).tolist() == [2, 3, 4]


def test_sizes_without_names_are_free(session: td.Session) -> None:
    x, y = (td.placeholder(td.float32, [None]) for _ in range(2))
    other = td.placeholder(td.float32, ["n"])
    assert session.run(x + y + other, {x: [1], y: [1, 2], other: [0]}).tolist() == [2, 3]


def test_names_are_bound_over_the_calls_of_a_partial_run(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n"], name="x")
    y = td.placeholder(td.float32, ["n"], name="y")
    first, second = x * 2.0, y * 2.0
    handle = session.partial_run_setup([first, second], [x, y])
    session.partial_run(handle, first, {x: [1, 2]})
    with pytest.raises(ValueError, match=r"'y:0'.*n = 2 .*'x:0'"):
        session.partial_run(handle, second, {y: [1, 2, 3]})
    assert session.partial_run(handle, second, {y: [3, 4]}).tolist() == [6, 8]
