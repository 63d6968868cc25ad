"""Random graphs, and rows of case tables on a real cluster: in chunks as in one piece."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import effort
import numpy as np
import pytest
from cases import Case, Raises, as_array
from cluster_fixture import client
from hypothesis import given, strategies as st
from random_graphs import Example, examples
from split_harness import chunkings, close, split_ways

import tensordraft as td
from distributed import Client
from tensordraft.distributed.analysis import NothingToSplitError
from tensordraft.distributed.cluster import Cluster, ClusterTasks
from tensordraft.distributed.data_parallel import SplitCall
from tensordraft.distributed.engine import InThisThread

__all__ = ["client"]

OPS = Path(__file__).parent.parent / "ops"


@effort.examples(25)
@given(example=examples(), along=st.sampled_from(["a", "b"]), data=st.data())
def test_random_graphs_give_the_same_in_chunks(
    example: Example, along: str, data: st.DataObject
) -> None:
    graph, feeds = example.graph, example.feeds
    fetches = [
        tensor
        for op in graph.get_operations()
        if op.definition.pure
        for tensor in op.outputs
        if tensor not in feeds and tensor.dtype.name not in ("variant", "resource")
    ]
    rows = next((n for symbol, n in example.sizes.items() if symbol.name == along), None)
    if rows is None or not any(along in str(tensor.shape) for tensor in feeds):
        return  # the size would then be the first of each input
    cuts = sorted(data.draw(st.lists(st.integers(0, rows), max_size=3)))
    chunks = [end - start for start, end in zip([0, *cuts], [*cuts, rows], strict=True)]
    with td.Session(graph=graph) as session:
        for fetch in fetches[-4:]:
            try:
                whole = as_array(session.run(fetch, feeds))
                call = SplitCall(session, (fetch,), along, None, tuple(feeds))
            except (td.errors.OpError, ValueError, NothingToSplitError):
                continue
            if call.stages.number:
                [result] = call.run(feeds, chunks, InThisThread())
                assert close(as_array(result), whole), f"{fetch}: {result}, not {whole}"


def rows_of_tables(number: int) -> Iterator[Case]:
    """Cases of as many op types as there are, that can be split."""
    seen: set[str] = set()
    for path in sorted(OPS.rglob("test_*.py")):
        spec = spec_from_file_location(f"tables_of_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        for table in list(vars(module).values()):
            for case in table if isinstance(table, list) else ():
                if isinstance(case, Case) and case.op not in seen:
                    if isinstance(case.expected, Raises) or next(split_ways(case), None) is None:
                        continue
                    seen.add(case.op)
                    yield case
                    if len(seen) == number:
                        return


@pytest.mark.soak
def test_fifty_rows_of_case_tables_on_a_cluster(client: Client) -> None:
    cluster, done = Cluster(client), 0
    for case in rows_of_tables(50):
        for built, call, session, rows in split_ways(case):
            wanted = built.run(session)
            for chunks in chunkings(rows)[1:]:
                with ClusterTasks(cluster) as tasks:
                    results = call.run(built.feeds, chunks, tasks)
                for result, whole in zip(results, wanted, strict=True):
                    assert close(as_array(result), whole), f"{case.op} in {chunks}"
            done += 1
            break
    assert done == 50


def test_a_row_of_a_case_table_on_a_cluster(client: Client) -> None:
    rows = np.arange(12.0).reshape(4, 3)
    case = Case("Softmax", [rows], {}, np.exp(rows) / np.exp(rows).sum(1, keepdims=True))
    found = 0
    for built, call, session, number in split_ways(case):
        wanted = built.run(session)
        with ClusterTasks(Cluster(client)) as tasks:
            results = call.run(built.feeds, chunkings(number)[2], tasks)
        assert close(as_array(results[0]), wanted[0])
        found += 1
    assert found
