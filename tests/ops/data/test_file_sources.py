"""Datasets of files, and caches in files: whole ones, damaged ones, and those that lie."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")
Dataset = td.data.Dataset


def next_of(dataset: Any) -> Any:
    return dataset.make_one_shot_iterator().get_next()


def all_of(session: td.Session, dataset: Any) -> list[Any]:
    return list(session.run(td.data.experimental.get_single_element(dataset.batch(1000))))


def records(path: Path, items: list[bytes], kind: str = "") -> str:
    with td.python_io.TFRecordWriter(str(path), kind) as writer:
        for item in items:
            writer.write(item)
    return str(path)


ITEMS = [b"", b"one", b"two" * 1000, bytes(range(256))]


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_records_of_several_files(session: td.Session, tmp_path: Path, kind: str) -> None:
    paths = [records(tmp_path / f"{i}", ITEMS[i:], kind) for i in range(3)]
    expected = ITEMS + ITEMS[1:] + ITEMS[2:]
    assert all_of(session, td.data.TFRecordDataset(paths, kind)) == expected
    names = Dataset.from_tensor_slices(paths)
    assert all_of(session, td.data.TFRecordDataset(names, kind)) == expected
    by_threads = td.data.TFRecordDataset(paths, kind, num_parallel_reads=2)
    assert sorted(all_of(session, by_threads)) == sorted(expected)


def test_large_records_cross_blocks(session: td.Session, tmp_path: Path) -> None:
    items = [bytes([i]) * size for i, size in enumerate([1 << 20, (1 << 20) - 16, 3 << 20, 7])]
    dataset = td.data.TFRecordDataset(records(tmp_path / "large", items))
    assert all_of(session, dataset) == items
    element = next_of(dataset)
    assert [session.run(element) for _ in items] == items


def test_a_damaged_record_is_named(session: td.Session, tmp_path: Path) -> None:
    path = tmp_path / "damaged"
    records(path, [b"first", b"second", b"third"])
    data = bytearray(path.read_bytes())
    data[21 + 12] ^= 1
    path.write_bytes(data)
    good = records(tmp_path / "good", [b"last"])
    element = next_of(td.data.TFRecordDataset([str(path), good]))
    assert session.run(element) == b"first"
    with pytest.raises(td.errors.DataLossError, match=f"corrupted record at 21 in '{path}'"):
        session.run(element)
    assert session.run(element) == b"last"  # it continues with the next file


@pytest.mark.parametrize("cut", [1, 11, 12, 14, 18, 20])
def test_a_file_that_is_cut_off(session: td.Session, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut"
    records(path, [b"first"])
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(td.errors.DataLossError, match="truncated record at 0 in"):
        session.run(next_of(td.data.TFRecordDataset(str(path))))


def test_a_record_that_says_it_is_huge(session: td.Session, tmp_path: Path) -> None:
    from tensordraft.formats.crc32c import masked_crc32c

    length = struct.pack("<Q", 1 << 62)
    path = tmp_path / "huge"
    path.write_bytes(length + struct.pack("<I", masked_crc32c(length)) + b"short")
    with pytest.raises(td.errors.DataLossError, match="truncated record at 0 in"):
        session.run(next_of(td.data.TFRecordDataset(str(path))))


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_compressed_files_that_are_none(session: td.Session, tmp_path: Path, kind: str) -> None:
    whole = records(tmp_path / "whole", [b"x" * 5000], kind)
    cut = Path(whole).read_bytes()[:-12]
    for name, data in (("cut", cut), ("plain", b"plain text, and more of it")):
        path = tmp_path / name
        path.write_bytes(data)
        for make in (td.data.TFRecordDataset, td.data.TextLineDataset):
            element = next_of(make(str(path), compression_type=kind))
            with pytest.raises(td.errors.DataLossError, match=str(path)):
                session.run(element)


def test_lines(session: td.Session, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    for text, expected in (
        (b"", []),
        (b"\n", [b""]),
        (b"a\r\nb\n\nc", [b"a", b"b", b"", b"c"]),
        (b"a\n", [b"a"]),
    ):
        path.write_bytes(text)
        element = next_of(td.data.TextLineDataset(str(path)).batch(9))
        found = list(session.run(element)) if expected else []
        assert found == expected
    path.write_bytes(gzip.compress(b"one\ntwo"))
    assert all_of(session, td.data.TextLineDataset([str(path)], "GZIP")) == [b"one", b"two"]
    long = b"x" * (3 << 20) + b"\n" + b"y"
    path.write_bytes(zlib.compress(long))
    assert all_of(session, td.data.TextLineDataset(str(path), "ZLIB")) == long.split(b"\n")


def test_a_bomb_of_a_line(
    session: td.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(td.config, "max_tensor_bytes", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(bytes(4 << 20)))
    with pytest.raises(td.errors.ResourceExhaustedError, match="a line of"):
        session.run(next_of(td.data.TextLineDataset(str(path), "GZIP")))


@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_records_of_one_length(session: td.Session, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "fixed"
    write = path.write_bytes if not kind else lambda data: path.write_bytes(gzip.compress(data))
    write(b"HEAD" + b"aabbcc" + b"F")
    settings: dict[str, Any] = {"header_bytes": 4, "footer_bytes": 1, "compression_type": kind}
    pairs = td.data.FixedLengthRecordDataset(str(path), 2, **settings)
    assert all_of(session, pairs) == [b"aa", b"bb", b"cc"]
    write(b"HEAD" + b"aabbc" + b"F")
    element = next_of(pairs)
    assert [session.run(element) for _ in range(2)] == [b"aa", b"bb"]
    with pytest.raises(td.errors.DataLossError, match="has body length 5 bytes, which is not an"):
        session.run(element)
    for field in ({"header_bytes": -1}, {"footer_bytes": -1}, {"record_bytes": 0}):
        given: dict[str, Any] = {"record_bytes": 2, **field}
        with pytest.raises(td.errors.InvalidArgumentError, match=next(iter(field))):
            session.run(next_of(td.data.FixedLengthRecordDataset(str(path), **given)))


def test_files_that_are_not_there(session: td.Session, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    good = records(tmp_path / "good", [b"x"])
    for make in (td.data.TFRecordDataset, td.data.TextLineDataset):
        with pytest.raises(td.errors.NotFoundError, match="gone"):
            session.run(next_of(make(gone)))
    element = next_of(td.data.TFRecordDataset([gone, good]))
    with pytest.raises(td.errors.NotFoundError):
        session.run(element)
    assert session.run(element) == b"x"
    with pytest.raises(td.errors.InvalidArgumentError, match="compression_type must be"):
        session.run(next_of(td.data.TFRecordDataset(good, "LZMA")))


def test_names_of_files(session: td.Session, tmp_path: Path) -> None:
    for name in "cab":
        (tmp_path / f"{name}.txt").touch()
    pattern = str(tmp_path / "*.txt")
    sure = all_of(session, Dataset.list_files(pattern, shuffle=False))
    assert [path[-5:] for path in sure] == [b"a.txt", b"b.txt", b"c.txt"]
    iterator = Dataset.list_files(pattern, seed=1).repeat(2).make_initializable_iterator()
    session.run(iterator.initializer)
    element = iterator.get_next()
    assert sorted(session.run(element) for _ in range(6)) == sorted(sure * 2)
    nothing = Dataset.list_files(str(tmp_path / "*.png")).make_initializable_iterator()
    with pytest.raises(td.errors.InvalidArgumentError, match="No files matched pattern"):
        session.run(nothing.initializer)


# Caches ------------------------------------------------------------------------------------------


def cached(path: Path) -> Any:
    numbers = Dataset.range(3).map(lambda x: (x, td.as_string(x), td.fill([x], 0.5)))
    return numbers.cache(str(path))


def taken(session: td.Session, dataset: Any) -> list[Any]:
    iterator = dataset.make_initializable_iterator()
    session.run(iterator.initializer)
    element = iterator.get_next()
    found = []
    for _ in range(3):
        number, text, row = session.run(element)
        found.append((int(number), text, row.tolist()))
    with pytest.raises(td.errors.OutOfRangeError):
        session.run(element)
    return found


def test_a_cache_in_a_file(session: td.Session, tmp_path: Path) -> None:
    path = tmp_path / "cache"
    first = taken(session, cached(path))
    assert first == [(0, b"0", []), (1, b"1", [0.5]), (2, b"2", [0.5, 0.5])]
    assert [file.name for file in tmp_path.iterdir()] == ["cache"]
    changed = cached(path).map(lambda x, text, row: (x, text, row))
    assert taken(session, changed) == first


def test_a_cache_is_whole_or_not_there(session: td.Session, tmp_path: Path) -> None:
    path = tmp_path / "cache"
    iterator = cached(path).make_initializable_iterator()
    session.run(iterator.initializer)
    element = iterator.get_next()
    session.run(element)
    assert [file.name for file in tmp_path.iterdir()] == ["cache.lockfile"]
    with pytest.raises(td.errors.AlreadyExistsError, match="concurrent caching iterator"):
        session.run(next_of(cached(path)))
    session.run(iterator.initializer)  # gives the first one up
    assert not list(tmp_path.iterdir())


def test_caches_that_are_damaged(session: td.Session, tmp_path: Path) -> None:
    path = tmp_path / "cache"
    taken(session, cached(path))
    whole = path.read_bytes()
    found = 0
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        for data in (bytes(damaged), whole[:place]):
            path.write_bytes(data)
            with pytest.raises(td.errors.DataLossError, match=str(path)):
                taken(session, cached(path))
            found += 1
    assert found > 50
    with td.python_io.TFRecordWriter(str(path)) as writer:
        for record in (b"tensordraft cache 1", b"\x08\x01"):
            writer.write(record)
    with pytest.raises(td.errors.DataLossError, match="element 0"):
        taken(session, cached(path))


def test_what_no_cache_holds(session: td.Session, tmp_path: Path) -> None:
    sparse = Dataset.from_tensors(td.SparseTensorValue([[0]], [1], [2])).cache(str(tmp_path / "c"))
    with pytest.raises(td.errors.UnimplementedError, match="cannot be kept in a file"):
        session.run(next_of(sparse))


def test_a_cache_in_memory_is_filled_by_a_whole_pass(session: td.Session) -> None:
    calls: list[int] = []

    def note(x: Any) -> Any:
        calls.append(int(x))
        return x

    noted = Dataset.range(3).map(lambda x: td.py_func(note, [x], td.int64)).cache()
    element = next_of(noted.take(2).concatenate(noted).concatenate(noted))
    found = [int(session.run(element)) for _ in range(8)]
    assert found == [0, 1, 0, 1, 2, 0, 1, 2]
    assert np.bincount(calls).tolist() == [2, 2, 1]
