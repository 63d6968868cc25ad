"""Conversion of models of each format to each that is written: they compute the same."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_harness import Cli, in_folder
from typed_arrays import f32

import tensordraft as td
from tensordraft.model_files.conversion.convert_model import TARGETS, target_of

FILES = Path(__file__).parents[1] / "tflite" / "files"
X = f32([[0.5, -1.0], [2.0, 3.0]])


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


def _graph() -> td.Graph:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 2], name="x")
        td.erfc(td.matmul(x, td.constant([[1.0, 2.0], [0.5, -1.0]])), name="y")
    return graph


def _of_graph(name: str) -> str:
    td.save_graph(_graph(), name)
    return name


def _of_variables(kind: str) -> str:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [None, 2], name="x")
        y = td.erfc(td.matmul(x, td.Variable([[1.0, 2.0], [0.5, -1.0]], name="w")), name="y")
        session.run(td.global_variables_initializer())
        if kind == "saved_model":
            td.saved_model.simple_save(session, "source", {"x": x}, {"y": y})
            return "source"
        return str(td.train.Saver().save(session, "./model")) + ".meta"


def _of_keras() -> str:
    pytest.importorskip("h5py")
    with td.Graph().as_default():
        layer = td.keras.layers.Dense(2, input_shape=(2,), activation="tanh", name="y")
        td.keras.Sequential([layer]).save("model.h5")
    return "model.h5"


def _of_table() -> str:
    with td.Graph().as_default(), td.Session() as session:
        words = td.placeholder(td.string, [None], name="words")
        values = td.constant([1, 2], td.int64)
        filling = td.contrib.lookup.KeyValueTensorInitializer(["a", "b"], values)
        ids = td.contrib.lookup.HashTable(filling, -1).lookup(words)
        session.run(td.tables_initializer())
        td.saved_model.simple_save(
            session,
            "source",
            {"words": words},
            {"ids": ids},
            legacy_init_op=td.tables_initializer(),
        )
    return "source"


def _of_tflite(name: str) -> str:
    return shutil.copy(FILES / f"{name}.tflite", "source.tflite")


SOURCES: dict[str, Any] = {
    "graph": lambda: _of_graph("source.pb"),
    "text": lambda: _of_graph("source.pbtxt"),
    "checkpoint": lambda: _of_variables("checkpoint"),
    "saved_model": lambda: _of_variables("saved_model"),
    "hdf5": _of_keras,
    "tfjs": lambda: td.save_tfjs(_graph(), "source"),
    "tflite": lambda: _of_tflite("cnn_f16"),
    "tflite_loop": lambda: _of_tflite("ops_control_float"),
    "table": _of_table,
}
WRITTEN = {
    "to.pb": ([], "graph_def"),
    "to.pbtxt": ([], "graph_def"),
    "to": (["--to", "saved_model"], "saved_model"),
    "to.onnx": ([], "onnx"),
    "web": ([], "tfjs"),
    "web/model.json": ([], "tfjs"),
}


def _fed(model: Any) -> dict[str, Any]:
    fed = {}
    for name, tensor in model.inputs.items():
        shape = [2 if size is None else size for size in tensor.shape.as_list()]
        if tensor.dtype is td.string:
            fed[name] = np.array([b"b", b"q"], object)
        else:
            fed[name] = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    return fed


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_is_written_to_every_target(source: str, cli: Cli) -> None:
    path = SOURCES[source]()
    with td.load(path) as model:
        fed = _fed(model)
        expected = model(fed)
    arrays = list(expected.values()) if isinstance(expected, dict) else [expected]
    for target, (options, kind) in WRITTEN.items():
        done = cli.json("convert", path, target, *options)
        assert done["format"] == kind
        assert done["bytes"] > 0
        with td.load(done["file"]) as again:
            nodes = again.graph.as_graph_def().node
            assert not [n.name for n in nodes for v in n.attr.values() if not v.ByteSize()]
            results = again(dict(zip(again.inputs, fed.values(), strict=True)))
        got = list(results.values()) if isinstance(results, dict) else [results]
        for one, other in zip(got, arrays, strict=True):
            if other.dtype.kind == "f":
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
            else:
                np.testing.assert_array_equal(one, other)


def test_outputs_and_signatures_are_chosen(cli: Cli) -> None:
    path = shutil.copy(FILES / "multisig_float.tflite", "two.tflite")
    for options, expected in (
        (["--signature", "enc"], [[2.0, 4.0]]),
        (["--signature", "dec"], [[0.0, 1.0]]),
        (["--signature", "enc", "--fetch", "z"], [[2.0, 4.0]]),
    ):
        for target, more in (("to.pb", []), ("web", []), ("to", ["--to", "saved_model"])):
            shutil.rmtree(target, ignore_errors=True)
            assert cli("convert", path, target, *options, *more).code == 0
            with td.load(target) as model:
                assert model([[1.0, 2.0]]).tolist() == expected


REFUSED: dict[str, tuple[list[str], str]] = {
    "ending": (["to.h5"], "files that end in .h5 are not written"),
    "json": (["other.json"], "files that end in .json are not written"),
    "folder": (["to.pb/"], "is a folder, where a GraphDef takes a file: model.pb"),
    "parent": (["none/to.pb"], "there is no folder"),
    "quantized": (["to.pb", "--quantize", "uint8"], "is for TensorFlow.js models"),
    "output": (["to.pb", "--fetch", "q"], "no output or node 'q'"),
    "signature": (["web", "--signature", "q"], "no signature 'q'"),
    "constant": (["to", "--to", "saved_model", "--fetch", "c"], "the outputs need no input"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_refused(name: str, cli: Cli) -> None:
    arguments, message = REFUSED[name]
    graph = _graph()
    with graph.as_default():
        td.constant(1.0, name="c")
    td.save_graph(graph, "source.pb")
    done = cli("convert", "source.pb", *arguments)
    assert done.code != 0
    assert message in done.err
    assert os.listdir() == ["source.pb"]


def test_folders_are_replaced_only_by_what_they_held(cli: Cli) -> None:
    _of_graph("source.pb")
    os.mkdir("mine")
    Path("mine/thesis.txt").write_text("mine")
    for options in ([], ["--to", "saved_model"]):
        done = cli("convert", "source.pb", "mine", *options)
        assert done.code != 0
        assert "thesis.txt" in done.err
    assert os.listdir("mine") == ["thesis.txt"]
    Path("plain").write_text("mine")
    assert "a file, where a folder is to be" in cli("convert", "source.pb", "plain").err
    for _ in range(2):
        assert cli("convert", "source.pb", "web").code == 0


def test_formats_are_named() -> None:
    with pytest.raises(ValueError, match=f"one of {', '.join(TARGETS)}, got 'pickle'"):
        target_of("x", "pickle")


def test_large_weights_are_in_several_files(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).normal(size=(1500, 1000)).astype(np.float32)
    with td.Graph().as_default() as graph:
        td.matmul(td.placeholder(td.float32, [1, 1500], name="x"), weights, name="y")
    path = td.save_tfjs(graph, tmp_path / "web")
    [group] = json.loads(Path(path).read_text())["weightsManifest"]
    sizes = [os.path.getsize(tmp_path / "web" / name) for name in group["paths"]]
    assert sizes == [1 << 22, 6_000_000 - (1 << 22)]
    x = np.ones([1, 1500], np.float32)
    with td.load(path) as model:
        np.testing.assert_allclose(model(x), x @ weights, rtol=1e-4, atol=1e-3)
