"""Threads of BLAS: only decompositions of large matrices wake them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from harness import RUNS_OF_BOTH_TIERS

import tensordraft as td
from tensordraft.ops.common import gemm
from tensordraft.runtime import thread_pools


@pytest.fixture(autouse=True)
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[td.Graph]:
    monkeypatch.setattr(thread_pools, "processors", lambda: 64)
    with td.Graph().as_default() as graph:
        yield graph


class Noted:
    """Fake BLAS that records how many threads each product requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
        self.num_threads = threads
        self.found: list[int] = []
        monkeypatch.setattr(thread_pools.blas_threads, "_libraries", [self])
        for place, name in [(np, "matmul"), (np.linalg, "det"), (np.linalg, "svd"), (np, "dot")]:
            monkeypatch.setattr(place, name, self._noting(getattr(place, name)))

    def set_num_threads(self, threads: int) -> None:
        self.num_threads = threads

    def _noting(self, function: Any) -> Any:
        def noting(*arguments: Any, **options: Any) -> Any:
            self.found.append(self.num_threads)
            return function(*arguments, **options)

        return noting


def _products(size: int) -> Any:
    x = td.placeholder(td.float32, [size, size], name="x")
    return [
        td.matmul(x, x),
        td.matmul(x[td.newaxis], x[td.newaxis]),
        td.einsum("ij,kj->ik", x, x),
        td.tensordot(x, x, 1),
        td.nn.l2_loss(x),
        td.linalg.det(x),
        td.linalg.svd(x, compute_uv=False),
    ]


@pytest.mark.parametrize("size", [8, 64, 100, 200, 300])
def test_products_and_decompositions_wake_no_threads_of_blas(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = Noted(monkeypatch, 4)
    values = np.random.default_rng(0).normal(size=[size, size]).astype("f")
    fetches = _products(size)
    with td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(fetches, {"x:0": values})
    assert noted.num_threads == 4
    # What is that small OpenBLAS does on one thread by itself.
    assert set(noted.found) == ({4} if size <= 60 else {1, 4} if size**3 < 1 << 18 else {1})


def test_large_decompositions_are_left_to_the_threads_of_blas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noted = Noted(monkeypatch, 4)
    with td.Session() as session:
        session.run(td.linalg.det(np.eye(520)))
    assert noted.found == [4]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((600, 700), (700, 600)),
        ((1, 3000), (3000, 2000)),
        ((2000, 3000), (3000, 1)),
        ((8, 200, 200), (8, 200, 200)),
        ((1, 7, 200, 200), (200, 300)),
        ((5, 1, 200, 100), (3, 100, 200)),
        ((100, 100), (11, 100, 90)),
    ],
)
def test_large_products_are_shared(one: Any, other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(monkeypatch, 2)
    random = np.random.default_rng(0)
    x, y = (random.integers(-8, 8, shape).astype("f") for shape in (one, other))
    found = gemm.multiply(x, y)
    assert len(noted.found) > 1
    assert {*noted.found} == {1}
    np.testing.assert_array_equal(found, x @ y)


def test_a_blas_that_cannot_be_limited_does_products_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(monkeypatch, 2)
    monkeypatch.setattr(thread_pools.blas_threads, "_libraries", [])
    x = np.ones([600, 600], "f")
    np.testing.assert_array_equal(gemm.multiply(x, x), np.full([600, 600], 600, "f"))
    assert noted.found == [2]
