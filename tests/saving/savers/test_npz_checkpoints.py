"""Checkpoints that older releases wrote, `.npz` files: restored, damaged, hostile."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td

OLD = GOLDEN / "npz"
VALUES: dict[str, np.ndarray] = {
    "float32": np.array([[1.5, -2.5], [np.inf, np.nan]], np.float32),
    "int64": np.array(7, np.int64),
    "bool": np.array([True, False]),
    "bfloat16": np.array([1.5, -3.0], td.bfloat16.as_numpy_dtype),
    "string": np.array([[b"one", b""], [b"\x00\xff", b"four"]], object),
    "empty": np.zeros((0, 3), np.float64),
}


def test_every_dtype_is_restored() -> None:
    with td.Graph().as_default(), td.Session() as session:
        variables = {
            f"scope/{name}": td.Variable(td.zeros(value.shape, dtype_of(name)), name=name)
            for name, value in VALUES.items()
        }
        path = td.train.latest_checkpoint(OLD)
        assert path == str(OLD / "model-5")
        td.train.Saver(variables).restore(session, path)
        for name, value in VALUES.items():
            result = np.asarray(session.run(variables[f"scope/{name}"]))
            assert result.dtype == value.dtype, name
            assert result.tobytes() == value.tobytes() or result.tolist() == value.tolist(), name
    assert dict(td.train.list_variables(OLD))["scope/string"] == [2, 2]
    assert td.train.load_variable(OLD, "scope/int64:0") == 7


def dtype_of(name: str) -> td.DType:
    dtype: td.DType = td.as_dtype(name if name != "empty" else "float64")
    return dtype


def read_all(path: Path) -> None:
    with td.train.load_checkpoint(path) as reader:
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    data = (OLD / "model-5.npz").read_bytes()
    bad = tmp_path / "bad.npz"
    rng = random.Random(5)
    damaged = [data[:length] for length in (0, 1, 100, len(data) // 2, len(data) - 1)]
    # Parts that are missing, while the directory at the end is whole.
    damaged += [data[:at] + data[at + n :] for at in range(0, 900, 60) for n in (1, 40, 300)]
    for _ in range(200):
        place = rng.randrange(len(data))
        changed = data[place] ^ (1 << rng.randrange(8))
        damaged.append(data[:place] + bytes([changed]) + data[place + 1 :])
    refused = 0
    for contents in damaged:
        bad.write_bytes(contents)
        try:
            read_all(tmp_path / "bad")
        except (td.errors.DataLossError, td.errors.NotFoundError):
            refused += 1
    assert refused > 130  # the rest is in what says nothing, such as dates


def test_a_manifest_that_ends_with_the_file_is_refused(tmp_path: Path) -> None:
    data = (OLD / "model-5.npz").read_bytes()
    entry = data.rindex(b"manifest.json")  # in the directory at the end, 22 bytes behind the sizes
    sizes = (1 << 20).to_bytes(4, "little") * 2
    (tmp_path / "m.npz").write_bytes(data[: entry - 26] + sizes + data[entry - 18 :])
    with pytest.raises(td.errors.DataLossError, match="is damaged, or no checkpoint"):
        td.train.load_checkpoint(tmp_path / "m")


HEAD = '{"format": "tensordraft checkpoint", "version": 1, "tensors": '


@pytest.mark.parametrize(
    "manifest",
    [
        "[]",
        "{}",
        HEAD.replace("1", "2") + "{}}",
        HEAD + '{"v": 1}}',
        HEAD + '{"v": {"dtype": "float32", "shape": [-1]}}}',
        HEAD + '{"v": {"dtype": "float32", "shape": [1000000000000]}}}',
        HEAD + '{"v": {"dtype": "string", "shape": [1]}}}',
        HEAD + '{"v": {"dtype": "nothing", "shape": [1]}}}',
    ],
)
def test_a_hostile_manifest_is_refused(tmp_path: Path, manifest: str) -> None:
    with zipfile.ZipFile(tmp_path / "model.npz", "w") as archive:
        archive.writestr("v.npy", b"\x93NUMPY")
        archive.writestr("manifest.json", manifest)
    with pytest.raises(td.errors.DataLossError):
        td.train.load_variable(tmp_path / "model", "v")


def test_an_object_array_is_not_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "model.npz", v=np.array([{}], object), allow_pickle=True)
    with pytest.raises(td.errors.DataLossError, match="manifest"):
        td.train.load_checkpoint(tmp_path / "model")
