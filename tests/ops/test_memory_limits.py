"""`td.config.max_tensor_bytes` beyond the sizes of arrays: strings, files, streams."""

from __future__ import annotations

import os
import tracemalloc
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST = 1 << 16
TEXT = b"x" * 1000
SEPARATOR = TEXT.decode()

LARGE: dict[str, Callable[[], Any]] = {
    "string_join": lambda: td.string_join([[TEXT] * 10] * 10, separator=SEPARATOR),
    "reduce_join": lambda: td.reduce_join([b""] * 100, 0, separator=SEPARATOR),
    "unsorted_segment_join": lambda: td.strings.unsorted_segment_join(
        [b"a"] * 100, [0] * 100, 1, separator=SEPARATOR
    ),
    "regex_replace": lambda: td.regex_replace([b"a" * 100], "a", TEXT),
    "regex_replace of groups": lambda: td.regex_replace([TEXT], "(.*)", rb"\1" * 100),
    "regex_replace of one": lambda: td.regex_replace(
        [TEXT], "(.*)", rb"\1" * 100, replace_global=False
    ),
    "n-grams": lambda: td.strings.ngrams(td.ragged.constant([["a" * 99] * 99]), 50).flat_values,
    "decode_compressed": lambda: td.decode_compressed(
        [zlib.compress(bytes(MOST // 2))] * 3, "ZLIB"
    ),
    "fed add": lambda: td.add(column(), column()[:, 0]),
    "fed comparison": lambda: td.greater(column(), td.tile(column()[:, 0], [9])),
    "fed where": lambda: td.where_v2(column() > 0.0, column()[:, 0], 1.0),
    "fed matmul": lambda: td.matmul(column(), column(), transpose_b=True),
    "fed batch_matmul": lambda: td.matmul(column()[None], column()[None], transpose_b=True),
    "fed chain": lambda: td.tanh(td.exp(column() * 2.0) + column()[:, 0]) * 3.0,
    "fed squared_difference": lambda: td.squared_difference(column(), column()[:, 0]),
}


def column() -> td.Tensor:
    """A column of 200 numbers, of which the graph knows no size."""
    return td.placeholder_with_default(np.ones([200, 1], np.float32), [None, None])


@pytest.mark.parametrize(
    ("make", "runs"),
    [
        pytest.param(make, runs, id=f"{name}, {runs} runs")
        for name, make in LARGE.items()
        for runs in ([1, 8] if name.startswith("fed") else [1])  # what is constant is kept
    ],
)
def test_large_results_are_refused(
    make: Callable[[], Any], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with td.Graph().as_default(), td.Session() as session:
        result = make()
        for _ in range(runs - 1):
            session.run(result)
        monkeypatch.setattr(td.config, "max_tensor_bytes", MOST)
        with pytest.raises(td.errors.ResourceExhaustedError, match="max_tensor_bytes"):
            session.run(result)
        monkeypatch.undo()
        session.run(result)


def test_compressed_strings_are_there_once() -> None:
    size = 1 << 26
    packed = zlib.compress(bytes(size))
    with td.Graph().as_default(), td.Session() as session:
        text = td.placeholder(td.string, [])
        result = td.decode_compressed(text, "ZLIB")
        session.run(result, {text: packed})
        tracemalloc.start()
        assert len(session.run(result, {text: packed})) == size
        assert tracemalloc.get_traced_memory()[1] < 1.6 * size
        tracemalloc.stop()


def test_files_are_held_against_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large").write_bytes(bytes(MOST + 1))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").write_bytes(b"")
    monkeypatch.setattr(td.config, "max_tensor_bytes", MOST)
    with td.Graph().as_default(), td.Session() as session:
        name = td.placeholder(td.string, [])
        contents = td.read_file(name)
        assert session.run(contents, {name: str(tmp_path / "empty")}) == b""
        with pytest.raises(td.errors.ResourceExhaustedError, match=f"holds {MOST + 1} bytes"):
            session.run(contents, {name: str(tmp_path / "large")})
        for path in (str(tmp_path / "pipe"), "/dev/zero"):
            with pytest.raises(td.errors.InvalidArgumentError, match="not a regular file"):
                session.run(contents, {name: path})
        with pytest.raises(td.errors.FailedPreconditionError):
            session.run(contents, {name: str(tmp_path)})


def test_a_message_that_stands_for_much(monkeypatch: pytest.MonkeyPatch) -> None:
    proto = td.make_tensor_proto(1.0, shape=[1 << 30])
    from tensordraft.protos import tensor_util

    class Large:
        def copy(self) -> Any:
            raise MemoryError

    monkeypatch.setattr(tensor_util, "decode_tensor", lambda proto: Large())
    with pytest.raises(ValueError, match=r"shape \[1073741824\] takes more memory than is left"):
        td.make_ndarray(proto)
