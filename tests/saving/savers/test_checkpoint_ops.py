"""Ops that write and read checkpoints: files, parts of tensors, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check, covers

import tensordraft as td
from tensordraft.formats.checkpoints import bundle_writer
from tensordraft.graph.registry import lookup

covers("SaveV2", "RestoreV2", "MergeV2Checkpoints", "Save", "SaveSlices", "Restore", "RestoreSlice")

CASES = [
    Case("ShardedFilename", ["model", 3, 12], expected=b"model-00003-of-00012"),
    Case("ShardedFilename", ["", 0, 100000], expected=b"-00000-of-100000"),
    Case("ShardedFilename", ["m", [0], 1], expected=raises("shard must")),
    Case("ShardedFilespec", ["model", 12], expected=b"model-?????-of-00012"),
    Case("ShardedFilespec", ["m", [1]], expected=raises("num_shards must")),
]


test_names_of_files = check(CASES)


BIG = np.arange(14, dtype=np.float32).reshape(7, 2)


def saved(session: td.Session, path: Path | str, version: int = 2) -> str:
    """A checkpoint of a tensor in two parts, and of some that are whole."""
    values = [BIG[:3], BIG[3:], td.constant(["a", ""]), td.constant(7, td.int64)]
    names = ["big", "big", "words", "step"]
    parts = ["7 2 0,3:-", "7 2 3,4:0,2", "", ""]
    op = "SaveV2" if version == 2 else "SaveSlices"
    session.run(lookup(op)(str(path), names, parts, [td.convert_to_tensor(v) for v in values]))
    return str(path)


@pytest.mark.parametrize("version", [1, 2])
def test_parts_are_read_as_they_are_asked_for(
    session: td.Session, tmp_path: Path, version: int
) -> None:
    path = saved(session, tmp_path / "new" / "model", version)
    names = ["big", "big", "big", "words", "step"]
    parts = ["", "7 2 3,4:0,2", "7 2 2,3:1,1", "", ""]
    dtypes = [td.float32, td.float32, td.float32, td.string, td.int64]
    read = lookup("RestoreV2")(path, names, parts, dtypes=dtypes)
    assert [tensor.shape.ndims for tensor in read] == [None, 2, 2, None, None]
    assert read[2].shape.as_list() == [3, 1]
    whole, stored, cut, words, step = session.run(read)
    assert whole.tolist() == BIG.tolist()
    assert stored.tolist() == BIG[3:].tolist()
    assert cut.tolist() == BIG[2:5, 1:].tolist()
    assert words.tolist() == [b"a", b""]
    assert step == 7


def test_older_ops_do_as_the_present_one(session: td.Session, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    session.run(lookup("Save")(path, ["v"], [td.constant(BIG)]))
    whole = lookup("Restore")(path, "v", dt=td.float32)
    part = lookup("RestoreSlice")(path, "v", "7 2 2,3:-", dt=td.float32)
    assert part.shape.as_list() == [3, 2]
    assert session.run(whole).tolist() == BIG.tolist()
    assert session.run(part).tolist() == BIG[2:5].tolist()
    for definition, given in (("Restore", ["v"]), ("RestoreSlice", ["v", ""])):
        with pytest.raises(td.errors.NotFoundError, match="there is no checkpoint 'nowhere'"):
            session.run(lookup(definition)("nowhere", *given, dt=td.float32))


def test_checkpoints_are_merged(session: td.Session, tmp_path: Path) -> None:
    prefixes = [str(tmp_path / "t" / f"part-{i}") for i in range(2)]
    ends = [("big", "7 2 0,3:-", BIG[:3]), ("big", "7 2 3,4:-", BIG[3:])]
    for prefix, (name, part, value) in zip(prefixes, ends, strict=True):
        given = [td.constant(value), td.constant(prefix)]
        session.run(lookup("SaveV2")(prefix, [name, prefix], [part, ""], given))
    session.run(lookup("MergeV2Checkpoints")(prefixes, str(tmp_path / "model")))
    assert sorted(os.listdir(tmp_path)) == [
        "model.data-00000-of-00002",
        "model.data-00001-of-00002",
        "model.index",
    ]
    with td.train.load_checkpoint(tmp_path / "model") as reader:
        assert reader.get_tensor("big").tolist() == BIG.tolist()
        assert reader.get_tensor(prefixes[1]) == prefixes[1].encode()
    merge = lookup("MergeV2Checkpoints")
    with pytest.raises(td.errors.NotFoundError, match=r"part-0\.index"):
        session.run(merge(prefixes, str(tmp_path / "other")))
    both = [str(tmp_path / "model"), prefixes[0]]
    session.run(merge(both, str(tmp_path / "other"), allow_missing_files=True))
    assert td.train.load_variable(tmp_path / "other", "big").tolist() == BIG.tolist()


def test_two_of_one_name_are_not_merged(session: td.Session, tmp_path: Path) -> None:
    prefixes = [saved(session, tmp_path / name) for name in "ab"]
    with pytest.raises(td.errors.InvalidArgumentError, match="is in more than one"):
        session.run(lookup("MergeV2Checkpoints")(prefixes, str(tmp_path / "c")))
    assert td.train.load_variable(tmp_path / "a", "step") == 7


WRONG: dict[str, tuple[list[Any], str]] = {
    "two of a name": (["v", "v"], "two of the tensors are named 'v'"),
    "no name": (["v", ""], "cannot be saved under the name ''"),
}


@pytest.mark.parametrize("names", WRONG)
def test_what_cannot_be_saved_is_refused(session: td.Session, tmp_path: Path, names: str) -> None:
    given, message = WRONG[names]
    tensors = [td.constant(1.0), td.constant(2.0)]
    with pytest.raises(td.errors.InvalidArgumentError, match=message):
        session.run(lookup("SaveV2")(str(tmp_path / "m"), given, ["", ""], tensors))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["7 2 0,3", "7 2 5,3:-", "a", "7 2 0,3:-:-", "7  2 0,3:-"])
def test_parts_that_are_none_are_refused(session: td.Session, tmp_path: Path, part: str) -> None:
    fed = td.placeholder(td.string, [1])
    save = lookup("SaveV2")(str(tmp_path / "m"), ["v"], fed, [td.constant(BIG[:3])])
    with pytest.raises(td.errors.InvalidArgumentError, match="a part of 'v'"):
        session.run(save, {fed: [part]})
    with pytest.raises(ValueError, match="a part of 'v' cannot be"):
        lookup("RestoreV2")("m", ["v"], [part], dtypes=[td.float32])


def test_a_part_of_another_shape_is_refused(session: td.Session, tmp_path: Path) -> None:
    path = saved(session, tmp_path / "model")
    with pytest.raises(td.errors.InvalidArgumentError, match=r"shape \[7, 2\], where a part of"):
        session.run(lookup("RestoreV2")(path, ["big"], ["6 2 0,3:-"], dtypes=[td.float32]))
    with pytest.raises(td.errors.InvalidArgumentError, match="has shape"):
        session.run(lookup("SaveV2")(path, ["v"], ["7 2 0,4:-"], [td.constant(BIG[:3])]))


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_not_there_is_told(session: td.Session, tmp_path: Path, version: int) -> None:
    path = saved(session, tmp_path / "model", version)
    for name, dtype, error, message in (
        ("v", td.float32, td.errors.NotFoundError, "Key v not found in checkpoint"),
        ("big", td.int32, td.errors.InvalidArgumentError, "is of dtype float32, not of int32"),
    ):
        with pytest.raises(error, match=message):
            session.run(lookup("RestoreV2")(path, [name], [""], dtypes=[dtype]))


def test_names_and_tensors_must_be_as_many(session: td.Session) -> None:
    with pytest.raises(ValueError, match="tensor_names"):
        lookup("SaveV2")("m", ["a", "b"], ["", ""], [td.constant(1.0)])
    names = td.placeholder(td.string)
    for op in (
        lookup("SaveV2")("m", names, [""], [td.constant(1.0)]),
        lookup("Save")("m", names, [td.constant(1.0)]),
        lookup("RestoreV2")("m", names, [""], dtypes=[td.float32])[0],
    ):
        with pytest.raises(td.errors.InvalidArgumentError, match="tensor_names must"):
            session.run(op, {names: [b"a", b"b"]})


@pytest.mark.parametrize("version", [1, 2])
def test_a_full_disk_leaves_what_was_there(
    session: td.Session, tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(session, tmp_path / "model", version)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(td.errors.ResourceExhaustedError, match="No space left on device"):
        saved(session, tmp_path / "model", version)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_numbers_are_written_from_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy is made of what lies in a row: memory does not grow with what is saved."""
    value = np.zeros(10, np.float32)
    [[chunk], _] = bundle_writer._stored(bundle_writer.Saved("v", td.float32, value))
    assert np.shares_memory(np.frombuffer(chunk, np.uint8), value)
