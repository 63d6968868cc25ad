"""Checkpoints of version 2 that are written here: read again, and damaged byte by byte."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.formats.checkpoints import bundle_index
from tensordraft.formats.checkpoints.bundle_index import Entry, Index, write_index
from tensordraft.formats.checkpoints.bundle_writer import Saved, write_bundle
from tensordraft.formats.checkpoints.checkpoint_slices import Extent
from tensordraft.formats.checkpoints.v1_checkpoint_writer import write_old_checkpoint

VALUES: dict[str, np.ndarray] = {
    "layer/w": np.arange(12, dtype=np.float32).reshape(3, 4),
    "step": np.array(7, np.int64),
    "flag": np.array([True, False]),
    "none": np.zeros((0, 3), np.float64),
    "words": np.array([b"", b"\xff\x00", b"x" * 300], object),
    "small": np.array([1, -2], td.bfloat16.numpy_dtype),
    **{f"many/{i:03d}": np.full(2, i, np.int32) for i in range(300)},
}


def written(folder: Path, values: dict[str, np.ndarray] = VALUES) -> str:
    prefix = str(folder / "model")
    dtypes = {
        k: td.string if v.dtype == object else td.as_dtype(v.dtype) for k, v in values.items()
    }
    write_bundle(prefix, [Saved(name, dtypes[name], value) for name, value in values.items()])
    return prefix


def test_what_is_written_is_read(tmp_path: Path) -> None:
    prefix = written(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "model.data-00000-of-00001",
        "model.index",
    ]
    with td.train.load_checkpoint(prefix) as reader:
        assert reader.get_variable_to_shape_map() == {k: list(v.shape) for k, v in VALUES.items()}
        for name, value in VALUES.items():
            read = np.asarray(reader.get_tensor(name))
            assert read.dtype == value.dtype
            assert read.tolist() == value.tolist()


def test_the_bytes_are_those_of_tensorflow(tmp_path: Path) -> None:
    """Entry and data of a checkpoint with one scalar, as TensorFlow 2.21 writes them."""
    prefix = written(tmp_path, {"v": np.array(1.5, np.float32)})
    assert Path(f"{prefix}.data-00000-of-00001").read_bytes() == bytes.fromhex("0000c03f")
    assert b"\x08\x01\x12\x00\x28\x04\x35" in Path(f"{prefix}.index").read_bytes()


def test_no_change_of_a_byte_goes_unnoticed(tmp_path: Path) -> None:
    values = {name: VALUES[name] for name in ("layer/w", "step", "words")}
    prefix = written(tmp_path, values)
    rng = np.random.default_rng(0)
    for suffix in (".index", ".data-00000-of-00001"):
        path = Path(prefix + suffix)
        whole = path.read_bytes()
        for place in rng.choice(len(whole), min(200, len(whole)), replace=False):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            try:
                with td.train.load_checkpoint(prefix) as reader:
                    for name, value in values.items():
                        assert np.asarray(reader.get_tensor(name)).tolist() == value.tolist()
            except td.errors.DataLossError:
                pass
        path.write_bytes(whole)


def test_a_failure_leaves_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = written(tmp_path, {"v": np.array([1.0, 2.0])})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bundle_index, "put_index", full)
    with pytest.raises(OSError, match="No space left"):
        written(tmp_path, {"v": np.array([3.0, 4.0])})
    assert td.train.load_variable(prefix, "v").tolist() == [1.0, 2.0]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_checkpoint_with_data_of_other_numbers_is_a_loss_and_no_mixture(tmp_path: Path) -> None:
    prefix = written(tmp_path, {"v": np.array([1.0, 2.0])})
    index = Path(f"{prefix}.index")
    old = index.read_bytes()
    written(tmp_path, {"v": np.array([1.0, 4.0])})
    index.write_bytes(old)
    with pytest.raises(td.errors.DataLossError, match="checksum is wrong"):
        td.train.load_variable(prefix, "v")


def test_where_there_are_no_links_the_checkpoint_keeps_its_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    for number in range(4):
        prefix = written(tmp_path, {"v": np.array(float(number))})
        assert td.train.load_variable(prefix, "v") == number
        data = f"model.data-00000-of-0000{1 + number % 2}"
        assert sorted(path.name for path in tmp_path.iterdir()) == [data, "model.index"]


def test_the_index_decides_between_old_and_new_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, {"v": np.array(1.0)})
    order: list[str] = []
    replace, link = os.replace, os.link

    def noted(kind: str, call: Any) -> Any:
        def noting(source: str, target: str) -> None:
            order.append(kind + Path(target).suffix)
            call(source, target)

        return noting

    monkeypatch.setattr(os, "replace", noted("", replace))
    monkeypatch.setattr(os, "link", noted("link ", link))
    written(tmp_path, {"v": np.array(2.0)})
    own, usual = ".data-00000-of-00002", "link .data-00000-of-00001"
    assert order == [own, ".index", usual, ".index"]


HOSTILE: dict[str, tuple[int, Entry]] = {
    "more shards than names have room for": (10**6, Entry(td.float32, [2], 0, 0, 8)),
    "no shards": (0, Entry(td.float32, [2], 0, 0, 8)),
    "a shard that is none of them": (1, Entry(td.float32, [2], 3, 0, 8)),
    "a shape of more than is there": (1, Entry(td.float32, [2**40], 0, 0, 8)),
    "a size of more than there is memory": (1, Entry(td.float32, [2**50], 0, 0, 2**52)),
    "an offset behind the end": (1, Entry(td.float32, [2], 0, 2**62, 8)),
    "a negative size": (1, Entry(td.float32, [-1], 0, 0, 8)),
    "more strings than bytes": (1, Entry(td.string, [2**40], 0, 0, 8)),
    "parts that are not there": (1, Entry(td.float32, [4], slices=((Extent(0, 2),),))),
    "parts of more than memory": (1, Entry(td.float32, [2**50], slices=((Extent(0, 2),),))),
    "parts outside of the whole": (1, Entry(td.float32, [4], slices=((Extent(3, 2),),))),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_sizes_counts_and_offsets_are_checked(what: str, tmp_path: Path) -> None:
    shards, entry = HOSTILE[what]
    prefix = written(tmp_path, {"v": np.array([1.0, 2.0], np.float32)})
    write_index(prefix, Index(shards, {b"v": entry}))
    with pytest.raises((td.errors.DataLossError, td.errors.ResourceExhaustedError)):
        td.train.load_variable(prefix, "v")
    with td.Graph().as_default(), td.Session() as session:
        v = td.get_variable("v", initializer=[5.0, 6.0])
        session.run(v.initializer)
        with pytest.raises((td.errors.DataLossError, td.errors.InvalidArgumentError)):
            td.train.Saver().restore(session, prefix)
        assert session.run(v).tolist() == [5.0, 6.0]


def test_no_change_of_a_byte_of_version_1_goes_unnoticed(tmp_path: Path) -> None:
    values = {name: VALUES[name] for name in ("layer/w", "step", "words", "small")}
    dtypes = {"layer/w": td.float32, "step": td.int64, "words": td.string, "small": td.bfloat16}
    path = tmp_path / "model"
    write_old_checkpoint(str(path), [Saved(key, dtypes[key], values[key]) for key in values])
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for place in rng.choice(len(whole), 200, replace=False):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            with td.train.load_checkpoint(str(path)) as reader:
                for name, value in values.items():
                    assert np.asarray(reader.get_tensor(name)).tolist() == value.tolist()
        except td.errors.DataLossError:
            pass
