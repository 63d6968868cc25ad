"""TensorFlow.js models: read, written, and refused where they are damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tfjs_models import FLOAT, constant, node, placeholder, texts, write
from typed_arrays import f32

import tensordraft as td


def test_fused_ops_are_the_plain_ones_they_consist_of(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    w, b, alpha = (rng.normal(size=n).astype(np.float32) for n in ((3, 4), (4,), (4,)))
    fused = {"list": {"s": texts("BiasAdd", "Prelu")}}
    nodes = [
        placeholder("x", "DT_FLOAT", -1, 3),
        *map(constant, ("w", "b", "alpha")),
        node("y", "_FusedMatMul", "x", "w", "b", "alpha", **FLOAT, fused_ops=fused),
    ]
    model = td.load(write(tmp_path / "m", nodes, [("w", w), ("b", b), ("alpha", alpha)]))
    x = rng.normal(size=(5, 3)).astype(np.float32)
    plain = x @ w + b
    np.testing.assert_allclose(model(x), np.where(plain > 0, plain, alpha * plain), rtol=1e-5)


ENDS = {"inputs": "ba", "outputs": "dc"}


@pytest.mark.parametrize("is_stated", [True, False])
def test_inputs_have_the_order_of_the_file(is_stated: bool, tmp_path: Path) -> None:
    nodes = [
        *(placeholder(name, "DT_FLOAT", 2) for name in "ba"),
        node("d", "Sub", "b", "a", **FLOAT),
        node("c", "Sub", "a", "b", **FLOAT),
    ]
    ends = {key: {name: {"name": name} for name in names} for key, names in ENDS.items()}
    model = td.load(write(tmp_path / "m", nodes, [], **({"signature": ends} if is_stated else {})))
    assert (list(model.inputs), list(model.outputs)) == (["b", "a"], ["d", "c"])
    assert model([3.0, 3.0], [1.0, 1.0])["d"].tolist() == [2.0, 2.0]


def test_what_cannot_be_unfused_is_named_at_once(tmp_path: Path) -> None:
    fused = {"list": {"s": texts("Swish")}}
    nodes = [
        placeholder("x", "DT_FLOAT", 2, 2),
        *(node(name, "_FusedMatMul", "x", "x", **FLOAT, fused_ops=fused) for name in "yz"),
    ]
    with pytest.raises(td.errors.UnimplementedError, match=r"'y' with Swish.*'z' with Swish"):
        td.load(write(tmp_path / "m", nodes, []))


def test_looser_dtypes_are_cast(tmp_path: Path) -> None:
    nodes = [
        placeholder("x", "DT_INT32", 2),
        constant("w"),
        {"name": "y", "op": "Mul", "input": ["x", "w"]},
    ]
    model = td.load(write(tmp_path / "m", nodes, [("w", f32([0.5, 2]))]))
    np.testing.assert_array_equal(model([1, 2]), f32([0.5, 4]))


@pytest.mark.parametrize("dtype", ["float16", "uint8", "uint16"])
def test_written_models_are_read_again(dtype: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    w = rng.normal(size=(20, 20)).astype(np.float32)
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 20], name="x")
        td.erfc(td.matmul(x, w), name="y")
    plain = td.load(td.save_tfjs(graph, tmp_path / "plain"))
    small = td.load(td.save_tfjs(graph, tmp_path / "small", quantize=dtype))
    values = rng.normal(size=(3, 20)).astype(np.float32)
    with td.Session(graph=graph) as session:
        expected = session.run("y:0", {"x:0": values})
    np.testing.assert_allclose(plain(values), expected, atol=1e-6)
    np.testing.assert_allclose(small(values), expected, atol=0.1)
    shard = "group1-shard1of1.bin"
    sizes = [os.path.getsize(tmp_path / name / shard) for name in ("plain", "small")]
    assert sizes[0] > 1.9 * sizes[1]


def test_loops_and_shared_outputs_are_written(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [3], name="x")
        _, y = td.while_loop(lambda i, _: i < 4, lambda i, a: (i + 1, a * 2.0), [td.constant(0), x])
        first, second = td.split(y, [1, 2])
    path = td.save_tfjs(graph, tmp_path / "m", outputs=[first.name, second.name])
    ops = {node["op"] for node in json.loads(Path(path).read_text())["modelTopology"]["node"]}
    assert {"Merge", "Switch"} <= ops
    done = td.load(path)([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(done[first.name], [16.0])
    np.testing.assert_array_equal(done[second.name], [32.0, 48.0])


def test_what_tensorflow_js_lacks_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [2, 2], name="x")
        td.matrix_inverse(td.digamma(x))
    with pytest.raises(td.errors.UnimplementedError, match=r"Digamma.*MatrixInverse"):
        td.save_tfjs(graph, tmp_path / "m")
    assert not os.listdir(tmp_path)


def test_a_folder_of_other_files_is_not_replaced(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        td.square(td.placeholder(td.float32, [2], name="x"))
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OSError, match=r"thesis\.txt"):
        td.save_tfjs(graph, tmp_path)
    assert os.listdir(tmp_path) == ["thesis.txt"]


def _damage(model: dict[str, Any], how: str) -> str:
    """Damages a model; returns what the error must say."""
    [group] = model["weightsManifest"]
    weight = group["weights"][0]
    if how == "outside":
        group["paths"] = ["../w.bin"]
        return "outside of its folder"
    if how == "absolute":
        group["paths"] = ["/etc/passwd"]
        return "outside of its folder"
    if how == "shape":
        weight["shape"] = [2**40, 2**40]
        return "which holds 8"
    if how == "negative":
        weight["shape"] = [-2]
        return "sizes of at least 0"
    if how == "dtype":
        weight["dtype"] = "float63"
        return "float63"
    if how == "missing":
        weight["name"] = "v"
        return "no weights for the constants w"
    model["modelTopology"] = json.loads('{"node": [{"attr": ' + "[" * 900 + "]" * 900 + "}]}")
    return "attr"


HOWS = ["outside", "absolute", "shape", "negative", "dtype", "missing", "attrs"]


@pytest.mark.parametrize("how", HOWS)
def test_damaged_models_are_refused(how: str, tmp_path: Path) -> None:
    nodes = [
        placeholder("x", "DT_FLOAT", 2),
        constant("w"),
        node("y", "Mul", "x", "w", **FLOAT),
    ]
    path = write(tmp_path / "m", nodes, [("w", np.ones(2, np.float32))])
    model = json.loads(path.read_text())
    message = _damage(model, how)
    path.write_text(json.dumps(model))
    with pytest.raises(td.errors.OpError, match=message):
        td.load(path)


def test_json_nested_deep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"format": "graph-model", "modelTopology": ' + "[" * 100_000)
    with pytest.raises(td.errors.DataLossError, match=r"nested too deep|cut off"):
        td.load(path)


KERNEL, BIAS = np.ones((3, 2), np.float32), f32([1, 2])
WEIGHTS = [("d/kernel", KERNEL), ("d/bias", BIAS)]


def _dense(**more: Any) -> dict[str, Any]:
    config = {"name": "d", "trainable": True, "units": 2, "batch_input_shape": [None, 3], **more}
    return {"class_name": "Dense", "config": config}


def _sequential(*layers: Any) -> dict[str, Any]:
    return {"class_name": "Sequential", "config": {"name": "s", "layers": list(layers)}}


def _layers(folder: Path, topology: Any, weights: Any = WEIGHTS) -> Path:
    return write(folder, [], weights, format="layers-model", modelTopology=topology)


TWO_INPUTS = {
    "class_name": "Functional",
    "config": {
        "name": "m",
        "layers": [
            {
                "class_name": "InputLayer",
                "name": "i",
                "config": {"name": "i", "batch_input_shape": [None, 3], "dtype": "float32"},
                "inbound_nodes": [],
            },
            {
                **_dense(),
                "name": "d",
                "inbound_nodes": [[["i", 0, 0, {}]], [["i", 0, 0, {}]]],
            },
        ],
        "input_layers": [["i", 0, 0]],
        "output_layers": [["d", 0, 0], ["d", 1, 0]],
    },
}
# Forms of the config, and the names of weights.
LAYERS: dict[str, tuple[Any, Any]] = {
    "config": ({"model_config": _sequential(_dense())}, WEIGHTS),
    "text": ({"model_config": json.dumps(_sequential(_dense()))}, WEIGHTS),
    "alone": (_sequential(_dense()), WEIGHTS),
    "list": ({"modelConfig": {"class_name": "Sequential", "config": [_dense()]}}, WEIGHTS),
    "scopes": ({"model_config": _sequential(_dense())}, [("s/d/kernel", KERNEL), ("d/bias", BIAS)]),
    "outputs": ({"model_config": TWO_INPUTS}, WEIGHTS),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_models_take_weights_by_name(name: str, tmp_path: Path) -> None:
    topology, weights = LAYERS[name]
    with td.load(_layers(tmp_path / "m", topology, weights)) as model:
        results = model([[1.0, 2.0, 3.0]])
    if name == "outputs":
        assert list(results) == ["d", "d_1"]
        results = results["d_1"]
    np.testing.assert_array_equal(results, [[7.0, 8.0]])


DATA_LOSS, UNIMPLEMENTED = td.errors.DataLossError, td.errors.UnimplementedError
TEXT_BIAS = [("d/kernel", KERNEL), ("d/bias", np.array([b"1", b"2"], object))]
MALFORMED: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "units": (
        _sequential(_dense(units=3)),
        WEIGHTS,
        DATA_LOSS,
        r"no weights for d/kernel of shape \[3, 3\]",
    ),
    "class": (
        _sequential(_dense(), {"class_name": "Mine", "config": {"name": "a", "trainable": True}}),
        WEIGHTS,
        UNIMPLEMENTED,
        r"classes that are not known: Mine \('a'\)",
    ),
    "no_shape": (
        _sequential({"class_name": "Dense", "config": {"name": "d", "units": 2}}),
        WEIGHTS,
        DATA_LOSS,
        "does not state the shape",
    ),
    "no_class": ({"model_config": {"config": {}}}, WEIGHTS, DATA_LOSS, "class_name and config"),
    "text": ({"model_config": "{"}, WEIGHTS, DATA_LOSS, "its config is malformed"),
    "units_text": (_sequential(_dense(units="x")), WEIGHTS, DATA_LOSS, "config is malformed"),
    "strings": (_sequential(_dense()), TEXT_BIAS, DATA_LOSS, "d/bias holds strings"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_layers_models(name: str, tmp_path: Path) -> None:
    topology, weights, kind, message = MALFORMED[name]
    with pytest.raises(kind, match=message):
        td.load(_layers(tmp_path / "m", topology, weights))
