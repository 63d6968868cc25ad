"""Graphs mapped over arrays in chunks: lazy, in dask's threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import tensordraft as td

TABLE = np.random.default_rng(1).normal(size=(23, 4)).astype(np.float32)


@pytest.fixture
def model() -> tuple[td.Graph, dict[str, td.Tensor]]:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 4], name="x")
        w = td.placeholder(td.float32, [4, 3], name="w")
        product = td.matmul(x - td.reduce_mean(x, 0), w)
        fetches = {
            "scores": td.nn.softmax(product),
            "largest": td.reduce_max(product, 0),
            "sizes": td.shape(product),
            "count": td.cast(td.shape(x)[0], td.float32) / 2,
        }
    return graph, fetches


def whole(graph: td.Graph, fetches: Any) -> Any:
    with td.Session(graph=graph) as session:
        return session.run(fetches, {"x:0": TABLE, "w:0": TABLE[:4, :3]})


@pytest.mark.parametrize("rows", [(23,), (10, 13), (5, 0, 10, 8), (0, 23, 0)])
def test_chunks_of_dask_arrays_are_kept(model: Any, rows: tuple[int, ...]) -> None:
    graph, fetches = model
    lazy = da.from_array(TABLE, chunks=(rows, 4))
    results = td.map_blocks(graph, fetches, {"x": lazy, "w": TABLE[:4, :3]})
    assert results["scores"].chunks == (rows, (3,))
    assert results["largest"].chunks == ((3,),)
    for name, wanted in whole(graph, fetches).items():
        assert results[name].shape == np.shape(wanted)
        assert results[name].dtype == fetches[name].dtype.numpy_dtype
        np.testing.assert_allclose(results[name].compute(), wanted, 1e-5, 1e-6)


def test_nothing_runs_until_it_is_asked_for(model: Any) -> None:
    graph, fetches = model
    seen = []

    def load(block: Any) -> Any:
        seen.append(len(block))
        return block

    lazy = da.from_array(TABLE, chunks=((10, 13), 4)).map_blocks(load, dtype=np.float32, meta=TABLE)
    scores = td.map_blocks(graph, fetches["scores"], {"x": lazy, "w": TABLE[:4, :3]})
    assert not seen
    scores.compute()
    assert sorted(seen) == [10, 13]


def test_arrays_without_chunks_are_cut_by_size(model: Any, tmp_path: Path) -> None:
    graph, fetches = model
    np.save(tmp_path / "table.npy", TABLE)
    for table in (TABLE, TABLE.tolist(), np.load(tmp_path / "table.npy", mmap_mode="r")):
        feeds = {"x": table, "w": TABLE[:4, :3]}
        scores = td.map_blocks(graph, fetches["scores"], feeds, split_bytes=64)
        assert scores.chunks[0] == (4, 4, 4, 4, 4, 3)
        wanted = whole(graph, fetches["scores"])
        np.testing.assert_allclose(scores.compute(), wanted, 1e-5, 1e-6)


def test_graphs_come_from_files_and_shapes_from_the_caller(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, name="x")
        td.reduce_sum(x, 1, name="y")
    path = td.save_graph(graph, str(tmp_path / "model.pb"))
    result = td.map_blocks(path, "y:0", {"x": TABLE}, shapes={"x": ["batch", 4]}, split_bytes=80)
    np.testing.assert_array_equal(result.compute(), TABLE.sum(1))


def test_the_same_tasks_have_the_same_names(model: Any) -> None:
    graph, fetches = model
    feeds = {"x": da.from_array(TABLE, chunks=(5, 4)), "w": TABLE[:4, :3]}
    one, other = (td.map_blocks(graph, fetches["largest"], feeds) for _ in range(2))
    assert one.name == other.name
    with dask.config.set(scheduler="sync"):
        np.testing.assert_array_equal(one.compute(), other.compute())


@pytest.mark.parametrize(
    ("build", "clause"),
    [
        (td.cumsum, r"'y' \(cumsum\).* needs all rows of 'batch' at once: it goes"),
        (lambda x: x * td.random_uniform([4]), "has state, which tasks do not have"),
        (lambda x: x * td.get_variable("v", [4]), "has state, which tasks do not have"),
        (lambda x: td.py_func(np.sin, [x], td.float32), "calls a function of the program"),
    ],
)
def test_what_cannot_be_mapped_is_named(build: Any, clause: str) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 4], name="x")
        with td.name_scope(None):
            y = td.cumsum(x, name="y") if "cumsum" in clause else build(x)
    with pytest.raises(ValueError, match=clause):
        td.map_blocks(graph, y, {x: TABLE})


def test_arrays_that_do_not_fit_are_refused(model: Any) -> None:
    graph, fetches = model
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \(23, 4\) for Tensor 'w:0'"):
        td.map_blocks(graph, fetches["scores"], {"x": TABLE, "w": TABLE})
    unknown = da.from_array(TABLE, chunks=(10, 4))
    unknown = unknown[unknown[:, 0] > 0]
    with pytest.raises(ValueError, match="chunks of unknown sizes"):
        td.map_blocks(graph, fetches["scores"], {"x": unknown, "w": TABLE[:4, :3]})


def test_two_numbers_for_one_size_are_refused() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch"], name="x")
        y = td.placeholder(td.float32, ["batch"], name="y")
        z = x + y
    with pytest.raises(ValueError, match=r"'batch' has different values: 3 in 'x:0' and 4 in"):
        td.map_blocks(graph, z, {x: np.ones(3), y: np.ones(4)})


def test_an_error_tells_the_rows() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.int32, ["batch"], name="x")
        y = td.gather(td.constant([1, 2, 3]), x, name="lookup")
    lazy = td.map_blocks(graph, y, {x: np.array([0, 1, 2, 0, 7, 0])}, split_bytes=12)
    with pytest.raises(RuntimeError, match=r"'lookup' \(gather\), created at .*test_map_blocks.py"):
        lazy.compute()
    with pytest.raises(RuntimeError, match="in rows 3 to 5"):
        lazy.compute()
