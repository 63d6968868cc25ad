"""TensorFlow's checkpoints with partitioned variables, of both versions."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td
from tensordraft.formats.checkpoints.checkpoint_slices import (
    Extent,
    assembled,
    read_slice,
    slice_key,
)

VERSIONS = ("parts-v1", "parts-v2")
SHAPES = [
    ("flags", [2]),
    ("layer/columns", [2, 130]),
    ("layer/rows", [7, 2]),
    ("names", [3]),
    ("whole", []),
]
# The elements were numbered part by part.
COLUMNS = np.concatenate(
    [np.arange(14, 144).reshape(2, 65), np.arange(144, 274).reshape(2, 65)], axis=1
)


@pytest.mark.parametrize("version", VERSIONS)
def test_partitioned_variables_are_put_together(version: str) -> None:
    folder = GOLDEN / version
    assert td.train.latest_checkpoint(folder) == str(folder / "model-3")
    assert td.train.list_variables(folder) == SHAPES
    reader = td.train.load_checkpoint(folder)
    rows = reader.get_tensor("layer/rows")
    columns = reader.get_tensor("layer/columns")
    assert (rows.dtype, columns.dtype) == (np.float32, np.int64)
    np.testing.assert_array_equal(rows, np.arange(14).reshape(7, 2))
    np.testing.assert_array_equal(columns, COLUMNS)
    assert reader.get_tensor("whole") == 1.5
    assert reader.get_tensor("names").tolist() == [b"one", b"", b"three"]
    assert reader.get_tensor("flags").tolist() == [True, False]
    assert reader.get_variable_to_dtype_map()["flags"] == td.bool
    with pytest.raises(td.errors.NotFoundError, match="Key layer/rows/part_0 not found"):
        reader.get_tensor("layer/rows/part_0")


@pytest.mark.parametrize("version", VERSIONS)
def test_they_are_restored_to_whole_variables(version: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        rows = td.get_variable("layer/rows", [7, 2])
        td.train.Saver().restore(session, GOLDEN / version / "model-3")
        assert session.run(rows)[6].tolist() == [12, 13]


def test_an_old_checkpoint_may_be_in_several_files(tmp_path: Path) -> None:
    data = (GOLDEN / "parts-v1" / "model-3").read_bytes()
    (tmp_path / "model-3-00000-of-00001").write_bytes(data)
    for name in ("model-3", "model-3-?????-of-00001"):
        assert td.train.checkpoint_exists(tmp_path / name)
        assert td.train.load_variable(tmp_path / name, "whole") == 1.5
    assert not td.train.checkpoint_exists(tmp_path / "model")


@pytest.mark.parametrize("version", VERSIONS)
def test_damage_is_told(version: str, tmp_path: Path) -> None:
    rng = random.Random(9)
    for file in (GOLDEN / version).glob("model-3*"):
        data = file.read_bytes()
        refused = 0
        for _ in range(40):
            shutil.copytree(GOLDEN / version, tmp_path, dirs_exist_ok=True)
            damaged = bytearray(data)
            damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            (tmp_path / file.name).write_bytes(damaged)
            try:
                with td.train.load_checkpoint(tmp_path) as reader:
                    for name, _ in SHAPES:
                        reader.get_tensor(name)
            except td.errors.OpError:
                refused += 1
        assert refused > 30, file.name


def test_a_missing_checkpoint_is_told_as_tensorflow_tells_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no checkpoint") as caught:
        td.train.load_checkpoint(tmp_path / "nothing")
    assert isinstance(caught.value, td.errors.NotFoundError)
    (tmp_path / "text").write_text("no checkpoint")
    with pytest.raises(td.errors.DataLossError, match="no checkpoint: it is not a table"):
        td.train.load_checkpoint(tmp_path / "text")


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (0, "80"),
        (63, "bf"),
        (64, "c040"),
        (130, "c082"),
        (8191, "dfff"),
        (8192, "e02000"),
        (-1, "7f"),
        (-64, "40"),
        (-65, "3fbf"),
        (2**62, "ffc04000000000000000"),
    ],
)
def test_numbers_in_keys(number: int, code: str) -> None:
    """The codes are those of TensorFlow's `OrderedCode::WriteSignedNumIncreasing`."""
    key = slice_key("v", [Extent(number, -1)])
    assert key.hex() == f"007600010101{code}7f"


def test_parts_must_fit() -> None:
    whole = np.arange(6).reshape(2, 3)
    first, second = (Extent(0, 2), Extent(0, 1)), (Extent(0, -1), Extent(1, 2))
    parts = [(first, whole[:, :1]), (second, whole[:, 1:])]
    np.testing.assert_array_equal(assembled([2, 3], td.int64, parts, "v"), whole)
    with pytest.raises(ValueError, match="parts of it are missing"):
        assembled([2, 3], td.int64, parts[:1], "v")
    with pytest.raises(ValueError, match="is not where it says"):
        assembled([2, 3], td.int64, [(first, whole)], "v")
    with pytest.raises(ValueError, match="reaches from 0 to 2 of 1"):
        assembled([1, 3], td.int64, parts, "v")
    with pytest.raises(td.errors.ResourceExhaustedError, match=r"^v takes .*max_tensor_bytes"):
        assembled([1 << 40], td.int64, [], "v")
    assert read_slice(bytes.fromhex("0a0210030a04080110020a00")) == (
        Extent(0, 3),
        Extent(1, 2),
        Extent(0, -1),
    )
