"""Readers and files: the keys, values, counts and errors that TensorFlow gives."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import covers
from waiters import Background, arrivals, only_waiting_takes_time

import tensordraft as td
from tensordraft import raw_ops

pytestmark = pytest.mark.usefixtures("session")
_READERS = ("WholeFile", "TextLine", "FixedLengthRecord", "TFRecord", "Identity")
for _op in (
    *(f"{kind}Reader" for kind in _READERS),
    "ReaderRead",
    "ReaderReadUpTo",
    "ReaderNumRecordsProduced",
    "ReaderNumWorkUnitsCompleted",
    "ReaderSerializeState",
    "ReaderRestoreState",
    "ReaderReset",
):
    covers(_op)
    covers(f"{_op}V2")
for _op in ("ReadFile", "WriteFile", "MatchingFiles"):
    covers(_op)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = b"HHaabbccddFF"
    for name, content in {
        "a": b"h1\nh2\r\none\r\ntwo\n\nlast",
        "b": b"hx\n",
        "empty": b"",
        "fixed": data,
        "fixed.gz": gzip.compress(data),
        "fixed.z": zlib.compress(data),
    }.items():
        tmp_path.joinpath(name).write_bytes(content)
    for name, kind in (("records", ""), ("records.z", "ZLIB"), ("records.gz", "GZIP")):
        with td.python_io.TFRecordWriter(name, kind) as writer:
            for record in (b"one", b"", b"three"):
                writer.write(record)
    damaged = bytearray((tmp_path / "records").read_bytes())
    damaged[20] ^= 1  # in the head of the second
    (tmp_path / "damaged").write_bytes(damaged)
    (tmp_path / "cut").write_bytes((tmp_path / "records").read_bytes()[:-3])
    return tmp_path


def work(session: td.Session, *names: str) -> td.FIFOQueue:
    """A closed queue of names."""
    queue = td.FIFOQueue(9, td.string, shapes=[[]])
    session.run(queue.enqueue_many([list(names)]))
    session.run(queue.close())
    return queue


def all_of(session: td.Session, fetches: Any) -> list[Any]:
    found = []
    try:
        while True:
            found.append(session.run(fetches))
    except td.errors.OutOfRangeError:
        pass
    return found


READERS: list[tuple[Callable[[], td.ReaderBase], list[str], list[str]]] = [
    (
        td.TextLineReader,
        ["a", "empty", "b"],
        ["a:1 h1", "a:2 h2", "a:3 one", "a:4 two", "a:5 ", "a:6 last", "b:1 hx"],
    ),
    (lambda: td.TextLineReader(skip_header_lines=4), ["a", "b", "a"], ["a:5 ", "a:6 last"] * 2),
    (td.WholeFileReader, ["b", "empty"], ["b hx\n", "empty "]),
    (td.IdentityReader, ["x", "y"], ["x x", "y y"]),
    (
        lambda: td.FixedLengthRecordReader(2, 2, 2),
        ["fixed"] * 2,
        ["fixed:0 aa", "fixed:1 bb", "fixed:2 cc", "fixed:3 dd"] * 2,
    ),
    (
        lambda: td.FixedLengthRecordReader(4, 2, 2, hop_bytes=2),
        ["fixed"],
        ["fixed:0 aabb", "fixed:1 bbcc", "fixed:2 ccdd"],
    ),
    (lambda: td.FixedLengthRecordReader(3, 2, 2), ["fixed"], ["fixed:0 aab", "fixed:1 bcc"]),
    (
        lambda: td.FixedLengthRecordReader(1, 2, 2, hop_bytes=5),
        ["fixed"],
        ["fixed:0 a", "fixed:1 c"],
    ),
    (
        lambda: td.FixedLengthRecordReader(4, 2, 2, encoding="GZIP"),
        ["fixed.gz"],
        ["fixed.gz:0 aabb", "fixed.gz:1 ccdd"],
    ),
    (
        lambda: td.FixedLengthRecordReader(4, 2, 2, encoding="ZLIB"),
        ["fixed.z"],
        ["fixed.z:0 aabb", "fixed.z:1 ccdd"],
    ),
    (td.TFRecordReader, ["records"], ["records:0 one", "records:19 ", "records:35 three"]),
    *(
        (
            lambda kind=kind: td.TFRecordReader(options=kind),
            [f"records.{end}"],
            [f"records.{end}:0 one", f"records.{end}:19 ", f"records.{end}:35 three"],
        )
        for kind, end in (("ZLIB", "z"), ("GZIP", "gz"))
    ),
]


@pytest.mark.parametrize(("make", "names", "wanted"), READERS)
def test_records(
    folder: Path,
    session: td.Session,
    make: Callable[[], td.ReaderBase],
    names: list[str],
    wanted: list[str],
) -> None:
    reader = make()
    key, value = reader.read(work(session, *names))
    assert key.shape.rank == value.shape.rank == 0
    found = all_of(session, [key, value])
    assert [(key + b" " + value).decode() for key, value in found] == wanted
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    assert session.run(counts) == [len(wanted), len(names)]
    session.run(reader.reset())
    assert session.run(counts) == [0, 0]
    keys, values = reader.read_up_to(work(session, *names), 2)
    assert keys.shape.as_list() == [None]
    lengths = [len(keys) for keys, _ in all_of(session, [keys, values])]
    assert (sum(lengths), max(lengths) <= 2) == (len(wanted), True)


def test_records_of_one_file_at_a_time(folder: Path, session: td.Session) -> None:
    keys, values = td.TextLineReader().read_up_to(work(session, "a", "b"), 4)
    found = all_of(session, values)
    assert [len(batch) for batch in found] == [4, 2, 1]
    nothing = td.TextLineReader().read_up_to(work(session, "a"), 0)
    assert session.run(nothing)[0].shape == (0,)
    del keys


@pytest.mark.parametrize("version", ["", "V2"])
def test_both_versions_of_the_ops(folder: Path, session: td.Session, version: str) -> None:
    def call(name: str, **arguments: Any) -> Any:
        return getattr(raw_ops, name + version)(**arguments)

    queue = call("FIFOQueue", component_types=[td.string], shapes=[[]])
    session.run(call("QueueEnqueueMany", handle=queue, components=[["fixed", "b"]]))
    reader = call("FixedLengthRecordReader", record_bytes=6)
    both = {"reader_handle": reader, "queue_handle": queue}
    assert session.run(call("ReaderRead", **both)) == (b"fixed:0", b"HHaabb")
    keys, _ = session.run(call("ReaderReadUpTo", num_records=5, **both))
    assert keys.tolist() == [b"fixed:1"]
    counts = [
        call("ReaderNumRecordsProduced", reader_handle=reader),
        call("ReaderNumWorkUnitsCompleted", reader_handle=reader),
    ]
    assert session.run(counts) == [2, 1]
    session.run(call("ReaderReset", reader_handle=reader))
    assert session.run(counts) == [0, 0]
    for kind in ("WholeFile", "Identity", "TextLine", "TFRecord"):
        made = call(f"{kind}Reader")
        state = call("ReaderSerializeState", reader_handle=made)
        restore = call("ReaderRestoreState", reader_handle=made, state=b"")
        if kind in ("WholeFile", "Identity"):
            assert session.run(state) == b""
            session.run(restore)
        else:
            for op in (state, restore):
                with pytest.raises(td.errors.UnimplementedError, match=r"Reader (Ser|Rest)"):
                    session.run(op)


def test_states_are_tensorflows(session: td.Session) -> None:
    reader = td.IdentityReader()
    assert reader.supports_serialize
    assert not td.TextLineReader().supports_serialize
    value = reader.read(work(session, "X", "Y", "Z"))[1]
    assert session.run(value) == b"X"
    state = session.run(reader.serialize_state())
    assert state == b'\x08\x01\x10\x01\x18\x01"\x01X'
    assert session.run(value) == b"Y"
    session.run(reader.restore_state(state))
    assert session.run([value, reader.num_records_produced()])[0] == b"Z"
    assert session.run(reader.num_records_produced()) == 2
    for wrong, message in (
        (b"garbage", "Could not parse state for IdentityReader"),
        (b"\x08\x02\x10\x01", "Inconsistent work started vs. finished"),
        (b"\x18" + b"\xff" * 9 + b"\x01", "Unexpected negative value"),
    ):
        with pytest.raises(td.errors.InvalidArgumentError, match=message):
            session.run(reader.restore_state(wrong))


def test_damaged_files_are_named_and_the_rest_is_read(folder: Path, session: td.Session) -> None:
    _, value = td.TFRecordReader().read(work(session, "damaged", "none", "cut", "records"))
    assert session.run(value) == b"one"
    with pytest.raises(td.errors.DataLossError, match="corrupted record at 19 in 'damaged'"):
        session.run(value)
    with pytest.raises(td.errors.NotFoundError, match="none"):
        session.run(value)
    assert [session.run(value) for _ in range(2)] == [b"one", b""]
    with pytest.raises(td.errors.DataLossError, match="truncated record at 35 in 'cut'"):
        session.run(value)
    assert all_of(session, value) == [b"one", b"", b"three"]


def test_records_before_a_damage_are_not_lost(folder: Path, session: td.Session) -> None:
    _, values = td.TFRecordReader().read_up_to(work(session, "cut"), 9)
    assert session.run(values).tolist() == [b"one", b""]


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"record_bytes": 0}, "record_bytes must be > 0 not 0"),
        ({"record_bytes": 2, "header_bytes": -1}, "header_bytes must be >= 0 not -1"),
        ({"record_bytes": 2, "hop_bytes": -1}, "hop_bytes must be >= 0 not -1"),
    ],
)
def test_lengths_have_to_be_legal(session: td.Session, attrs: dict[str, Any], message: str) -> None:
    reader = td.FixedLengthRecordReader(**attrs)
    with pytest.raises(td.errors.InvalidArgumentError, match=message):
        session.run(reader.num_records_produced())


def test_lengths_beyond_all_files_cost_nothing(folder: Path, session: td.Session) -> None:
    reader = td.FixedLengthRecordReader(2**62, header_bytes=2**62, hop_bytes=2**62)
    assert all_of(session, reader.read(work(session, "fixed"))) == []


def test_queues_have_to_hold_names(session: td.Session) -> None:
    reader = td.IdentityReader()
    for queue, value, message in (
        (td.FIFOQueue(5, [td.string, td.int32]), ["a", 1], "Expected single component queue"),
        (td.FIFOQueue(5, td.int32), 1, "Expected queue with single string component"),
    ):
        session.run(queue.enqueue(value))
        with pytest.raises(td.errors.InvalidArgumentError, match=message):
            session.run(reader.read(queue))


def test_who_reads_waits_in_turn(session: td.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    only_waiting_takes_time(monkeypatch)
    queue = td.FIFOQueue(9, td.string, shapes=[[]])
    value = td.IdentityReader().read(queue)[1]
    with arrivals() as arrived:
        first = Background(session.run, value)
        arrived()
        second = Background(session.run, value)
        arrived()
        with pytest.raises(td.errors.DeadlineExceededError):
            session.run(value, options=td.RunOptions(timeout_in_ms=5))
        session.run(queue.enqueue_many([["a", "b"]]))
        assert (first.result(), second.result()) == (b"a", b"b")
        third, fourth = Background(session.run, value), Background(session.run, value)
        for _ in range(3):
            arrived()
        session.close()
        for waiting in (third, fourth):
            with pytest.raises(td.errors.CancelledError):
                waiting.result()


def test_files_are_read_and_written(folder: Path, session: td.Session) -> None:
    name = td.placeholder(td.string, [])
    contents = td.read_file(name)
    assert session.run(contents, {name: "b"}) == b"hx\n"
    with pytest.raises(td.errors.NotFoundError, match="none"):
        session.run(contents, {name: "none"})
    session.run(td.write_file(td.constant("new/folder/x"), b"\x00\xff"))
    assert (folder / "new/folder/x").read_bytes() == b"\x00\xff"
    with pytest.raises(ValueError, match="rank 0"):
        td.read_file(["a"])


def test_files_that_match(folder: Path, session: td.Session) -> None:
    (folder / ".hidden").touch()
    (folder / os.fsdecode(b"odd\xff")).touch()

    def matching(pattern: Any) -> list[bytes]:
        found: list[bytes] = session.run(td.matching_files(pattern)).tolist()
        return found

    assert matching("fixed*") == [b"fixed", b"fixed.gz", b"fixed.z"]
    assert matching(["fixed.?", "[ab]", "none*", "", "no/such/*"]) == [b"a", b"b", b"fixed.z"]
    assert matching("[.o]*") == [b".hidden", b"odd\xff"]
    patterns = td.placeholder(td.string)
    with pytest.raises(td.errors.InvalidArgumentError, match="scalar or vector"):
        session.run(td.matching_files(patterns), {patterns: [["a"]]})
    with pytest.raises(ValueError, match="rank at most 1"):
        td.matching_files([["a"]])
    assert np.shape(matching([])) == (0,)
