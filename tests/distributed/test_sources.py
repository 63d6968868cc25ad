"""Arrays in files and on clusters: read chunk by chunk where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from cluster_fixture import client

import tensordraft as td
from distributed import Client
from tensordraft.cli.main import main
from tensordraft.distributed.sources import read_anew

__all__ = ["client"]

ROWS = np.random.default_rng(0).normal(size=(403, 6)).astype(np.float32)
WANTED = (ROWS - ROWS.mean(0)).sum(1)


def model() -> tuple[td.Graph, td.Tensor]:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 6], name="x")
        return graph, td.reduce_sum(x - td.reduce_mean(x, 0), 1, name="y")


@pytest.mark.parametrize("order", ["C", "F"])
def test_maps_of_files_are_opened_for_each_chunk(tmp_path: Path, order: Any) -> None:
    np.save(tmp_path / "x.npy", np.asarray(ROWS, order=order))
    opened = np.load(tmp_path / "x.npy", mmap_mode="r")
    source = read_anew(opened)
    assert source.shape == opened.shape
    np.testing.assert_array_equal(source[3:9], ROWS[3:9])
    assert type(source[3:9]) is np.ndarray
    assert read_anew(opened[5:]).shape == (398, 6), "a slice of a map stays what it is"
    graph, y = model()
    lazy = td.map_blocks(graph, y, {"x": opened}, split_bytes=2000)
    np.testing.assert_allclose(lazy.compute(), WANTED, 1e-4, 1e-5)


def test_datasets_of_hdf5_and_zarr(tmp_path: Path) -> None:
    h5py, zarr = pytest.importorskip("h5py"), pytest.importorskip("zarr")
    stored = zarr.open(str(tmp_path / "x.zarr"), mode="w", shape=ROWS.shape, dtype=ROWS.dtype)
    stored[:] = ROWS
    graph, y = model()
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["deep/x"] = ROWS
    with h5py.File(tmp_path / "x.h5", "r") as file:
        for source in (file["deep/x"], stored):
            lazy = td.map_blocks(graph, y, {"x": source}, split_bytes=2000)
            np.testing.assert_allclose(lazy.compute(), WANTED, 1e-4, 1e-5)
            with td.data_parallel(graph, split_bytes=2000) as session:
                np.testing.assert_allclose(session.run(y, {"x:0": source}), WANTED, 1e-4, 1e-5)
    path = td.save_graph(graph, str(tmp_path / "model.pb"))
    for feed, out in (("x.zarr", "y.zarr"), ("x.h5:deep/x", "y.npy")):
        request = ["run", path, "--feed", f"x={tmp_path / feed}", "--along", "batch"]
        assert main([*request, "--out", str(tmp_path / out), "--split-bytes", "2000"]) == 0
    for result in (zarr.open(str(tmp_path / "y.zarr"), mode="r")[:], np.load(tmp_path / "y.npy")):
        np.testing.assert_allclose(result, WANTED, 1e-4, 1e-5)


def test_a_failed_run_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.int32, ["batch"], name="x")
        td.gather(td.constant([1, 2]), x, name="y")
    path = td.save_graph(graph, str(tmp_path / "model.pb"))
    np.save(tmp_path / "x.npy", np.full(9, 7, np.int32))
    request = ["run", path, "--feed", f"x={tmp_path / 'x.npy'}", "--along", "batch"]
    assert main([*request, "--out", str(tmp_path / "y.npy")]) == 1
    assert "indices[0] = 7 is not in [0, 2)" in capsys.readouterr().err
    assert {item.name for item in tmp_path.iterdir()} == {"model.pb", "x.npy"}


def test_dask_arrays_stay_where_they_are(client: Client) -> None:
    graph, y = model()
    lazy = da.from_array(ROWS, chunks=(100, 3)).astype(np.float64) * 1
    moved: list[Any] = []
    with td.data_parallel(graph, split_bytes=2000, scheduler=client) as session:
        cluster: Any = session._cluster
        for array in (lazy, client.persist(lazy)):
            scatter = cluster.client.scatter
            cluster.client.scatter = lambda values, *_, **__: moved.append(values)
            try:
                result = session.run(y, {"x:0": array})
            finally:
                cluster.client.scatter = scatter
            np.testing.assert_allclose(result, WANTED, 1e-4, 1e-5)
    assert not moved


def test_the_command_runs_on_a_cluster(client: Client, tmp_path: Path) -> None:
    graph, _ = model()
    path = td.save_graph(graph, str(tmp_path / "model.pb"))
    np.save(tmp_path / "x.npy", ROWS)
    request = ["run", path, "--feed", f"x={tmp_path / 'x.npy'}", "--along", "batch"]
    out, address = str(tmp_path / "y.npy"), client.scheduler.address
    assert main([*request, "--out", out, "--split-bytes", "2000", "--scheduler", address]) == 0
    np.testing.assert_allclose(np.load(out), WANTED, 1e-4, 1e-5)
