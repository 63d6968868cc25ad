"""`tensordraft show` of files that hold weights and no graph."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_harness import Cli, in_folder

import tensordraft as td
from tensordraft.model_files.weights_alone import weights_at

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


def arrays_of(cli: Cli, path: str) -> Any:
    shown = cli.json("show", path)
    assert shown["file"] == path
    return {name: (entry["dtype"], entry["shape"]) for name, entry in shown["weights"].items()}


def checkpoint(folder: str = ".", write_version: Any = None) -> None:
    with td.Graph().as_default(), td.Session() as session:
        td.get_variable("v", initializer=np.ones([2, 3], np.float32))
        td.get_variable("step", initializer=np.int64(7))
        session.run(td.global_variables_initializer())
        options = {} if write_version is None else {"write_version": write_version}
        td.train.Saver(**options).save(session, f"{folder}/ckpt", write_meta_graph=False)


CHECKPOINT = {"step": ("int64", []), "v": ("float32", [2, 3])}


@pytest.mark.parametrize("version", [td.train.SaverDef.V1, td.train.SaverDef.V2])
def test_a_checkpoint_without_a_graph_is_listed(cli: Cli, version: Any) -> None:
    checkpoint(write_version=version)
    names = [".", "checkpoint", "ckpt", *(str(path) for path in Path().glob("ckpt.*"))]
    assert len(names) == (3 if version == td.train.SaverDef.V1 else 5)
    for name in names:
        assert arrays_of(cli, name) == CHECKPOINT, name
    text = cli("show", "ckpt").out
    assert text.startswith("ckpt: a checkpoint without its graph, 2 arrays; a program restores it")
    assert "\n  v     float32[2,3]\n" in f"{text}\n"


def test_other_commands_say_what_it_is(cli: Cli) -> None:
    checkpoint()
    done = cli("run", "ckpt.index")
    assert done.code == 1
    assert "the index of a checkpoint" in done.err


@pytest.mark.parametrize("name", ["objects", "objects/three", "objects/three.index"])
def test_a_checkpoint_of_objects_is_listed(cli: Cli, name: str) -> None:
    arrays = arrays_of(cli, str(GOLDEN / name))
    assert arrays["model/_hidden/.ATTRIBUTES/VARIABLE_VALUE"] == ("float32", [])


def test_a_checkpoint_in_an_archive_is_listed(cli: Cli) -> None:
    arrays = arrays_of(cli, str(GOLDEN / "npz" / "model-5.npz"))
    assert arrays["scope/bfloat16"] == ("bfloat16", [2])


def test_arrays_of_numpy_are_listed(cli: Cli) -> None:
    np.savez("a.npz", x=np.zeros([2, 1], np.int8), y=np.float64(1))
    assert arrays_of(cli, "a.npz") == {"x": ("int8", [2, 1]), "y": ("float64", [])}
    assert "fed by --feed NAME=FILE:KEY" in cli("show", "a.npz").out
    np.save("a.npy", np.zeros([4], np.float16))
    assert arrays_of(cli, "a.npy") == {"": ("float16", [4])}
    assert "  float16[4]" in cli("show", "a.npy").out


def safetensors(header: Any, size: int = 8) -> None:
    data = json.dumps(header).encode()
    Path("a.safetensors").write_bytes(struct.pack("<Q", len(data)) + data + bytes(size))


def test_safetensors_are_listed(cli: Cli) -> None:
    safetensors({"w": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]}})
    assert arrays_of(cli, "a.safetensors") == {"w": ("float16", [2, 2])}
    safetensors({"w": {"shape": [2]}})
    done = cli("show", "a.safetensors")
    assert done.code == 1
    assert "a.safetensors is damaged: its header has no dtype and shape for 'w'" in done.err


def test_weights_in_hdf5_are_listed(cli: Cli) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File("a.weights.h5", "w") as file:
        file["layers/dense/vars/0"] = np.zeros([3, 2], np.float32)
        file["outside"] = h5py.ExternalLink("/etc/passwd", "/")
    assert arrays_of(cli, "a.weights.h5") == {"layers/dense/vars/0": ("float32", [3, 2])}
    assert "call model.load_weights on the file" in cli("show", "a.weights.h5").out


def test_damaged_files_are_reported(cli: Cli) -> None:
    np.savez("a.npz", x=np.zeros([20], np.int8))
    data = Path("a.npz").read_bytes()
    Path("a.npz").write_bytes(data.replace(b"NUMPY", b"NUMPI"))
    assert "'x' cannot be read" in cli("show", "a.npz").err
    Path("a.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
    assert "a.npy is damaged: it is not an array" in cli("show", "a.npy").err


def test_whatever_else_is_not_weights(cli: Cli) -> None:
    for name, data in (("a.zip", b"PK\x05\x06" + bytes(18)), ("a.txt", b"text"), ("a", b"")):
        Path(name).write_bytes(data)
        assert weights_at(name) is None
        assert cli("show", name).code == 1
    assert weights_at("absent") is None
    Path("folder").mkdir()
    assert weights_at("folder") is None
