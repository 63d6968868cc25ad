"""Graphs that grow in a loop: the line that makes the nodes is warned of, once."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable

GROWS = "the graph grows in a loop: this line has made nodes between 10 runs, the last '"


def warned(program: Callable[[td.Session, td.Tensor], None]) -> list[warnings.WarningMessage]:
    with (
        td.Graph().as_default(),
        td.Session() as session,
        warnings.catch_warnings(record=True) as w,
    ):
        warnings.simplefilter("always")
        x = td.constant(1.0)
        session.run(x)
        program(session, x)
    return list(w)


@pytest.mark.parametrize(("times", "number"), [(9, 0), (10, 1), (30, 1)])
def test_nodes_that_are_run(times: int, number: int) -> None:
    def program(session: td.Session, x: td.Tensor) -> None:
        for _ in range(times):
            session.run(x + 1.0)

    found = warned(program)
    assert len(found) == number
    for item in found:
        assert item.category is UserWarning
        assert item.filename == __file__
        assert item.lineno == program.__code__.co_firstlineno + 2
        assert str(item.message).startswith(f"{GROWS}add_9'")


def test_nodes_that_are_not_run() -> None:
    def program(session: td.Session, x: td.Tensor) -> None:
        for _ in range(11):
            td.negative(x)
            session.run(x)

    [found] = warned(program)
    assert found.lineno == program.__code__.co_firstlineno + 2


def test_a_session_for_each_round() -> None:
    def program(session: td.Session, x: td.Tensor) -> None:
        for _ in range(12):
            with td.Session() as other:
                other.run(x + 1.0)

    assert len(warned(program)) == 1


def test_two_lines_are_two() -> None:
    def program(session: td.Session, x: td.Tensor) -> None:
        for _ in range(12):
            y = td.negative(x)
            session.run(y + 1.0)

    assert len(warned(program)) == 2


def test_building_many_nodes_at_once_is_no_loop() -> None:
    def program(session: td.Session, x: td.Tensor) -> None:
        for _ in range(5):
            for _ in range(20):
                x = x + 1.0
            session.run(x)
        for _ in range(30):
            session.run(x)

    assert not warned(program)


def test_each_graph_is_counted_for_itself() -> None:
    def program(session: td.Session, x: td.Tensor) -> None:
        for _ in range(30):
            with td.Graph().as_default(), td.Session() as other:
                other.run(td.constant(1.0) + 1.0)

    assert not warned(program)
