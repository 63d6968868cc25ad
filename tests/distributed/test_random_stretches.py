"""Random numbers in chunks: each draws its rows of those of the whole run, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cluster_fixture import client

import tensordraft as td
from distributed import Client

__all__ = ["client"]

ROWS = np.ones([37, 3], np.float32)
STATELESS: list[str] = ["stateless_normal", "stateless_uniform", "stateless_truncated_normal"]
FLOATS = ["half", "bfloat16", "float32", "float64"]
Build = Callable[[td.Tensor], Any]


def of_floats(dtype: str) -> Build:
    def build(x: td.Tensor) -> list[td.Tensor]:
        sizes = td.shape(x)
        drawn = [f(sizes, dtype=dtype) for f in (td.random_uniform, td.random_normal)]
        drawn.append(td.truncated_normal(sizes, dtype=dtype))
        return [
            *drawn,
            *[getattr(td.random, name)(sizes, [1, 2], dtype=dtype) for name in STATELESS],
        ]

    return build


def of_integers(dtype: str) -> Build:
    def build(x: td.Tensor) -> list[td.Tensor]:
        sizes = td.shape(x)
        rows = td.cast(sizes[0], dtype)
        return [
            td.random_uniform(sizes, -rows, rows, dtype),
            td.random.stateless_uniform(sizes, [1, 2], 0, 9, dtype),
            td.random.stateless_uniform(sizes, [1, rows], None, None, dtype),
        ]

    return build


def in_other_places(x: td.Tensor) -> list[td.Tensor]:
    rows = td.shape(x)[0]
    return [
        td.nn.dropout(x, 0.5),
        td.random_uniform([5, rows, 3]) * x,
        td.random_normal([2, 2, 2 * rows]),
        td.reshape(td.random_uniform([3 * rows]), [rows, 3]) + x,
    ]


BUILDS = {
    **{name: of_floats(name) for name in FLOATS},
    "int32": of_integers("int32"),
    "int64": of_integers("int64"),
    "other places": in_other_places,
}


def model(build: Build) -> tuple[td.Graph, td.Tensor, Any]:
    with td.Graph().as_default() as graph:
        td.set_random_seed(3)
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        return graph, x, build(x)


@pytest.mark.parametrize("name", BUILDS)
def test_chunks_draw_their_rows_of_what_the_whole_draws(name: str) -> None:
    graph, x, fetches = model(BUILDS[name])
    report = td.split_report(graph, fetches)
    assert report.ok
    assert all(item.part.startswith("split along axis") for item in report.fetches)
    assert not any(line.startswith("once") and "Random" in line for line in report.stages)
    with td.Session(graph=graph) as session:
        wanted = [session.run(fetches, {x: ROWS}) for _ in range(3)]
    for chunk in (100, 7):
        with td.data_parallel(graph, split_bytes=chunk) as session:
            found = [session.run(fetches, {x: ROWS}) for _ in range(3)]
        for arrays, results in zip(wanted, found, strict=True):
            for array, result in zip(arrays, results, strict=True):
                np.testing.assert_array_equal(result.view(np.uint8), array.view(np.uint8))


def test_streams_go_on_from_run_to_run_whole_or_in_chunks(client: Client) -> None:
    graph, x, y = model(lambda x: td.nn.dropout(x, 0.5) + td.random_normal([3]))
    feeds = [ROWS[:2], ROWS, ROWS[:3], ROWS[:0], ROWS]
    with td.Session(graph=graph) as session:
        wanted = [session.run(y, {x: rows}) for rows in feeds]
    for scheduler in (None, client):
        with td.data_parallel(graph, split_bytes=100, scheduler=scheduler) as session:
            for rows, array in zip(feeds, wanted, strict=True):
                np.testing.assert_array_equal(session.run(y, {x: rows}), array)


def test_what_has_no_known_place_is_drawn_once() -> None:
    graph, x, y = model(lambda x: td.random_gamma(td.shape(x), 2.0) + x)
    assert any(
        line.startswith("once") and "Gamma" in line for line in td.split_report(graph, y).stages
    )
    with td.Session(graph=graph) as session:
        wanted = session.run(y, {x: ROWS})
    with td.data_parallel(graph, split_bytes=100) as session:
        np.testing.assert_array_equal(session.run(y, {x: ROWS}), wanted)


def test_lazy_arrays_draw_what_follows_from_seeds_and_nothing_else() -> None:
    graph, x, y = model(lambda x: td.random.stateless_normal(td.shape(x), [3, 4]) * x)
    with td.Session(graph=graph) as session:
        wanted = session.run(y, {x: ROWS})
    np.testing.assert_array_equal(td.map_blocks(graph, y, {x: ROWS}, split_bytes=100), wanted)
    graph, x, y = model(lambda x: td.nn.dropout(x, 0.5))
    with pytest.raises(ValueError, match="has state, which tasks do not have"):
        td.map_blocks(graph, y, {x: ROWS})
