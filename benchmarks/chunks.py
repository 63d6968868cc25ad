"""Cost of running in chunks: overhead, scoring, a table out of core, training.

    python benchmarks/chunks.py --rows 500000
    python benchmarks/chunks.py --only table --table 8
    python benchmarks/chunks.py --only scaling

`scaling` prints the table of docs/distributed.md: a step of training on up to 1,000 workers, as a
model has it whose numbers are measured here: seconds for a row, bytes of variables and gradients;
a network of 1.25 GB/s and 0.5 ms a message. The driver sends variables to all workers in a tree and
starts each chunk, which takes dask about 1 ms; gradients come back in a tree of pairs.

Seconds of a processor are those that this process has used, whatever else the machine does.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tensordraft as td

BANDWIDTH = 1.25e9
LATENCY = 0.5e-3
START = 1e-3


def mlp(units: int = 256) -> tuple[td.Graph, td.Tensor]:
    """A network of three layers with constant weights."""
    with td.Graph().as_default() as graph:
        td.set_random_seed(0)
        x = td.placeholder(td.float32, ["batch", 100], name="x")
        hidden = x
        random = np.random.default_rng(0)
        for width, inner in ((units, 100), (units, units), (1, units)):
            weights = random.normal(size=(inner, width)).astype(np.float32) * 0.1
            hidden = td.nn.relu(td.matmul(hidden, td.constant(weights)))
    return graph, hidden


class Scored(NamedTuple):
    """Rows a second: by the clock, and by the seconds of processors, of which each worker has one.

    The second is what the first would be on a machine that does nothing else.
    """

    by_clock: float
    by_processor: float


def scored(client: Any, rows: int) -> Scored:
    """Scoring throughput of a cluster whose workers make their own chunks of rows."""
    import dask.array as da

    graph, y = mlp()
    table = da.random.default_rng(0).random((rows, 100), np.float32, chunks=(25_000, 100))
    table = client.persist(table)
    client.gather(client.compute(table.sum()))
    total = td.map_blocks(graph, y, {"x:0": table}).sum()
    client.compute(total).result()
    found = []
    for _ in range(3):
        before, start = client.run(time.process_time), time.perf_counter()
        client.compute(total).result()
        seconds, after = time.perf_counter() - start, client.run(time.process_time)
        found.append((seconds, (sum(after.values()) - sum(before.values())) / len(after)))
    return Scored(*[rows / min(column) for column in zip(*found, strict=True)])


def overhead(client: Any, chunks: int = 400) -> dict[str, tuple[float, float]]:
    """Milliseconds for a nearly empty chunk, with plain dask and with a graph.

    Both by the clock and by processors, of this process and the worker: each the least of 10.
    """
    import dask.array as da

    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 4], name="x")
        y = td.reduce_sum(x * 2.0, 1)
    table = client.persist(da.ones((chunks * 10, 4), dtype=np.float32, chunks=(10, 4)))
    plain = table.map_blocks(lambda block: (block * 2).sum(1), drop_axis=1, dtype=np.float32)
    results = {"dask": plain, "graph": td.map_blocks(graph, y, {x: table})}

    def clocks() -> tuple[float, float]:
        workers = client.run(time.process_time).values()
        return time.perf_counter(), time.process_time() + sum(workers)

    least = dict.fromkeys(results, (math.inf, math.inf))
    for _ in range(10):
        for name, result in results.items():
            start = clocks()
            client.compute(result).result()
            spent = [1000 * (y - x) / chunks for x, y in zip(start, clocks(), strict=True)]
            least[name] = min(least[name][0], spent[0]), min(least[name][1], spent[1])
    return least


def peak_memory() -> float:
    """The most memory that this process has had, in GiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def out_of_core(rows: int, folder: str) -> tuple[float, float]:
    """Rows a second of a processor from a file into a file, and in memory; these before and after.

    The file has no blocks on disk: it reads as zeros.
    """
    import dask
    import dask.array as da

    graph, y = mlp()
    path = Path(folder) / "table.npy"
    np.lib.format.open_memmap(path, "w+", np.float32, (rows, 100)).flush()
    target = np.lib.format.open_memmap(Path(folder) / "scores.npy", "w+", np.float32, (rows, 1))
    some = np.zeros([200_000, 100], np.float32)
    rates = []
    with td.Session(graph=graph) as session:
        session.run(y, {"x:0": some})

        def in_memory() -> None:
            start = time.process_time()
            for _ in range(5):
                session.run(y, {"x:0": some})
            rates.append(5 * len(some) / (time.process_time() - start))

        in_memory()
        start = time.process_time()
        with dask.config.set(scheduler="threads", num_workers=1):
            table = np.load(path, mmap_mode="r")
            da.store(td.map_blocks(graph, y, {"x:0": table}), target, lock=True)
        from_file = rows / (time.process_time() - start)
        in_memory()
    return from_file, sum(rates) / len(rates)


def training() -> tuple[float, float, int]:
    """Seconds for a row of a step, how far losses are off in chunks, and bytes of gradients."""
    with td.Graph().as_default() as graph:
        td.set_random_seed(0)
        x = td.placeholder(td.float32, ["batch", 100], name="x")
        y = td.placeholder(td.float32, ["batch"], name="y")
        hidden = td.layers.dense(td.layers.dense(x, 256, td.nn.relu), 256, td.nn.relu)
        loss = td.reduce_mean(td.square(td.layers.dense(hidden, 1)[:, 0] - y))
        step = td.train.GradientDescentOptimizer(0.01).minimize(loss)
        start = td.global_variables_initializer()
        size = sum(4 * (v.shape.num_elements() or 0) for v in td.trainable_variables())
    rows = np.random.default_rng(0).normal(size=(100_000, 100)).astype(np.float32)
    feeds = {x: rows, y: rows.sum(1)}
    found, seconds = [], 0.0
    for bytes_of_chunk in (1 << 40, 25_000 * 404):
        with td.data_parallel(graph, split_bytes=bytes_of_chunk) as session:
            session.run(start)
            before = time.perf_counter()
            found.append([session.run([loss, step], feeds)[0] for _ in range(3)])
            seconds = time.perf_counter() - before
    off = np.abs(np.array(found[0]) / found[1] - 1).max()
    return seconds / 3 / len(rows), float(off), size


def simulated(workers: int, rows: int, seconds: float, size: int) -> dict[str, float]:
    """The seconds of a step by what they are spent on: see the head of this file."""
    depth = math.ceil(math.log2(workers)) if workers > 1 else 0
    hop = LATENCY + size / BANDWIDTH
    return {
        "chunks": rows / workers * seconds,
        "send": depth * hop,
        "start": workers * START,
        "combine": depth * hop,
    }


def scaling(seconds: float, size: int) -> None:
    """Prints the simulated table."""
    print("| Workers | Chunks | Sending variables | Starting | Combining | Step | Speed-up |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows = 1_000_000
    alone = sum(simulated(1, rows, seconds, size).values())
    for workers in (1, 2, 4, 10, 30, 100, 300, 1000):
        spent = simulated(workers, rows, seconds, size)
        total = sum(spent.values())
        cells = [f"{1000 * spent[k]:,.1f} ms" for k in ("chunks", "send", "start", "combine")]
        print(
            f"| {workers:,} | {' | '.join(cells)} | {1000 * total:,.1f} ms | {alone / total:,.1f} |"
        )

    for workers in (200, 1000):
        depth = math.ceil(math.log2(workers))
        limit = BANDWIDTH * (workers * START / (2 * depth) - LATENCY)
        print(f"{workers:,} workers: trees are the limit from {limit / 1e6:.0f} MB of variables on")


def clusters(rows: int, only: str | None) -> None:
    """Prints what is measured on clusters of one and two processes."""
    from distributed import Client, LocalCluster

    rates = {}
    for workers in (1, 2):
        with (
            LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            if workers == 1 and only in (None, "overhead"):
                for name, (clock, processor) in overhead(client).items():
                    print(f"a chunk with {name}: {clock:.2f} ms, {processor:.2f} of processors")
            if only in (None, "scoring"):
                rates[workers] = scored(client, rows)
                print(
                    f"scoring with {workers} workers: {rates[workers].by_clock:,.0f} rows/s, "
                    f"{rates[workers].by_processor:,.0f} by seconds of processors"
                )
    if rates:
        by_clock, by_processor = (y / x for x, y in zip(rates[1], rates[2], strict=True))
        print(f"2 workers are {by_clock:.2f} x one, {by_processor:.2f} x by seconds of processors")


def table_out_of_core(gigabytes: float) -> None:
    """Prints how fast a table in a file is scored, and in how much memory."""
    with tempfile.TemporaryDirectory() as folder:
        from_file, in_memory = out_of_core(int(gigabytes * 2**30 / 400), folder)
    print(
        f"{gigabytes} GiB out of core: {from_file:,.0f} rows for a second of a processor, "
        f"{from_file / in_memory:.2f} x in memory, peak {peak_memory():.2f} GiB"
    )


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--table", type=float, default=8.0, help="GiB of the table out of core")
    parser.add_argument("--only", choices=["overhead", "scoring", "table", "training", "scaling"])
    arguments = parser.parse_args()
    only = arguments.only
    if only in (None, "training", "scaling"):
        seconds, off, size = training()
        print(f"training: {1e6 * seconds:.2f} us a row, losses off by {off:.1e}, {size:,} bytes")
        if only == "scaling":
            scaling(seconds, size)
    if only in (None, "overhead", "scoring"):
        clusters(arguments.rows, only)
    if only in (None, "table"):
        table_out_of_core(arguments.table)


if __name__ == "__main__":
    main()
