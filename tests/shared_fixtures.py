"""Fixtures that many test modules share: a default graph, and a session in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from waiters import arrivals

import tensordraft as td


@pytest.fixture
def graph() -> Iterator[td.Graph]:
    """A graph of the test's own, the default one meanwhile."""
    with td.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def session(graph: td.Graph) -> Iterator[td.Session]:
    """A session of that graph, the default one meanwhile."""
    with td.Session(graph=graph) as session:
        yield session


@pytest.fixture
def arrived() -> Iterator[Callable[[], None]]:
    """Waits until another thread waits."""
    with arrivals() as arrived:
        yield arrived
