"""Models written for TensorFlow.js: ends, tables, dtypes, models of Keras, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import json_format, text_format
from typed_arrays import f32

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.protos.messages import GraphDef


def _written(path: str) -> dict[str, Any]:
    return json.loads(Path(path).read_text())


def _graph(make: Callable[[Any], Any], shape: Any = (3,), dtype: Any = td.float32) -> td.Graph:
    with td.Graph().as_default() as graph:
        td.identity(make(td.placeholder(dtype, shape, name="x")), name="y")
    return graph


def test_inputs_are_outputs_and_need_not_be_read(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2], name="x")
        unread = td.placeholder(td.int32, [None, 4], name="unread")
        ends = {"same": x, "double": x * 2.0, "twice": x * 2.0, "k": td.constant([1, 2])}
        td.saved_model.simple_save(session, str(tmp_path / "sm"), {"x": x, "unread": unread}, ends)
    with td.load(tmp_path / "sm") as model:
        path = td.save_tfjs(model, tmp_path / "web", outputs=[*ends, "x"])
    inputs = _written(path)["signature"]["inputs"]
    assert inputs["unread"]["dtype"] == "DT_INT32"
    assert [dim["size"] for dim in inputs["unread"]["tensorShape"]["dim"]] == ["-1", "4"]
    with td.load(path) as again:
        assert sorted(again.inputs) == ["unread", "x"]
        results = again(x=[1.0, 2.0], unread=np.zeros([1, 4], np.int32))
    assert {name: array.tolist() for name, array in results.items()} == {
        "same": [1, 2],
        "double": [2, 4],
        "twice": [2, 4],
        "k": [1, 2],
        "x": [1, 2],
    }


def test_inner_tensors_may_be_inputs(tmp_path: Path) -> None:
    graph = _graph(lambda x: td.multiply(td.square(x, name="square"), 3.0))
    path = td.save_tfjs(graph, tmp_path / "web", inputs=["square"])
    assert list(_written(path)["signature"]["inputs"]) == ["square"]


def test_variables_have_the_values_of_the_session(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        v = td.Variable([1.0, 2.0, 3.0], name="v")
        td.multiply(td.placeholder(td.float32, [3], name="x"), v, name="y")
        session.run(td.global_variables_initializer())
        session.run(v.assign([4.0, 5.0, 6.0]))
        path = td.save_tfjs(graph, tmp_path / "web", outputs=["y"])
        with td.load(path) as model:
            assert model([1.0, 1.0, 1.0]).tolist() == [4, 5, 6]


def test_models_of_keras_are_written(tmp_path: Path) -> None:
    with td.Graph().as_default():
        model = td.keras.Sequential([td.keras.layers.Dense(2, input_shape=(3,), name="out")])
        kernel, bias = model.get_weights()
        path = td.save_tfjs(model, tmp_path / "web", quantize=None)
        with pytest.raises(ValueError, match="has no inputs yet"):
            td.save_tfjs(td.keras.Sequential([td.keras.layers.Dense(2)]), tmp_path / "no")
    x = f32([[1, 2, 3]])
    with td.load(path) as again:
        assert list(again.outputs) == ["out"]
        np.testing.assert_allclose(again(x), x @ kernel + bias, rtol=1e-6)


def _table(words: Any, values: Any = (1, 2)) -> Any:
    filling = td.contrib.lookup.KeyValueTensorInitializer(
        td.constant(["a", "b"], name="keys"), td.constant(values, td.int64, name="values")
    )
    return td.contrib.lookup.HashTable(filling, -1).lookup(words)


def test_tables_are_filled_by_a_graph_of_their_own(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        words = td.placeholder(td.string, [None], name="words")
        keys = td.constant(["a", "b"], name="keys")
        ends = {"ids": _table(words), "keys": keys}
        td.saved_model.simple_save(
            session,
            str(tmp_path / "sm"),
            {"words": words},
            ends,
            legacy_init_op=td.tables_initializer(),
        )
    path = td.save_tfjs(td.load(tmp_path / "sm"), tmp_path / "web")
    model = _written(path)
    ops = [node["op"] for node in model["modelInitializer"]["node"]]
    assert sorted(set(ops)) == ["Const", "HashTableV2", "InitializeTableV2"]
    assert "InitializeTableV2" not in {node["op"] for node in model["modelTopology"]["node"]}
    with td.load(path) as again:
        results = again(["b", "x"])
        assert results["ids"].tolist() == [2, -1]
        assert results["keys"].tolist() == [b"a", b"b"]


DTYPES: list[tuple[Any, Any, str]] = [
    (td.float64, [0.5, 1e300], "float32"),
    (td.bfloat16, [0.5, 2.0], "float32"),
    (td.int64, [1, -7], "int32"),
    (td.uint8, [1, 255], "int32"),
    (td.bool, [True, False], "bool"),
    (td.complex128, [1 + 2j, 0], "complex64"),
    (td.string, [b"a", b"\xff\xfe"], "string"),
]


@pytest.mark.parametrize(("dtype", "values", "stored"), DTYPES)
def test_dtypes_become_those_of_tensorflow_js(
    dtype: Any, values: Any, stored: str, tmp_path: Path
) -> None:
    with td.Graph().as_default() as graph:
        td.constant(values, dtype, name="c")
    path = td.save_tfjs(graph, tmp_path / "web", outputs=["c"])
    [weight] = _written(path)["weightsManifest"][0]["weights"]
    assert (weight["name"], weight["dtype"], weight["shape"]) == ("c", stored, [2])
    with td.load(path) as model:
        got = model({}).tolist()
    assert got == [float("inf") if x == 1e300 else x for x in values]


QUANTIZED = {
    "constant": (np.full(300, 2.5, np.float32), "uint8"),
    "zeros": (np.linspace(-1, 3, 300, dtype=np.float32), "uint16"),
    "large": (np.linspace(-1, 1e6, 300, dtype=np.float32), "float16"),
    "infinite": (np.full(300, np.inf, np.float32), "uint8"),
    "small": (np.linspace(0, 1, 20, dtype=np.float32), "uint8"),
}


@pytest.mark.parametrize("name", QUANTIZED)
def test_rounded_weights(name: str, tmp_path: Path) -> None:
    values, dtype = QUANTIZED[name]
    graph = _graph(lambda x: x * td.constant(values), [len(values)])
    path = td.save_tfjs(graph, tmp_path / "web", quantize=dtype)
    weights = _written(path)["weightsManifest"][0]["weights"]
    is_rounded = [weight for weight in weights if "quantization" in weight]
    assert bool(is_rounded) == (name in ("constant", "zeros"))
    with td.load(path) as model:
        got = model(np.ones(len(values), np.float32))
    np.testing.assert_allclose(got, values, atol=4 / 255)


REFUSED: dict[str, tuple[Callable[[Path], Any], type[Exception], str]] = {
    "quantize": (
        lambda p: td.save_tfjs(_graph(td.abs), p, quantize="int4"),
        ValueError,
        "quantize must be None or one of 'float16', 'uint8', 'uint16', got 'int4'",
    ),
    "model": (lambda p: td.save_tfjs(3, p), TypeError, "a Graph, a GraphDef or a Keras model"),
    "outputs": (
        lambda p: td.save_tfjs(_graph(td.abs), p, outputs="y"),
        TypeError,
        "outputs must be a list of names, got 'y'",
    ),
    "output": (
        lambda p: td.save_tfjs(_graph(td.abs), p, outputs=["z"]),
        ValueError,
        "no output or tensor 'z'; it has y",
    ),
    "input": (
        lambda p: td.save_tfjs(_graph(td.abs), p, inputs=["z:0"]),
        ValueError,
        "no input or tensor 'z:0'; it has x",
    ),
    "results": (
        lambda p: td.save_tfjs(
            _graph(lambda x: lookup("Split")(td.constant(0), x, num_split=3, name="s")[0]),
            *(p, ["s"]),
        ),
        ValueError,
        "output 's' is an op of 3 results",
    ),
    "signature": (
        lambda p: td.save_tfjs(_graph(td.abs), p, signature="s"),
        ValueError,
        "no signature 's'",
    ),
    "nothing": (lambda p: td.save_tfjs(td.Graph(), p), ValueError, "the model has no outputs"),
    "integers": (
        lambda p: td.save_tfjs(_graph(lambda x: x + 2**40, dtype=td.int64), p),
        ValueError,
        "holds 1099511627776, which is not in the range of int32",
    ),
    "negative": (
        lambda p: td.save_tfjs(_graph(lambda x: x - 2**40, dtype=td.int64), p),
        ValueError,
        "not in the range of int32",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    call, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        call(tmp_path / "web")
    assert not list(tmp_path.iterdir())


RECURSIVE = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { } } } }
node { name: "y" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "halve" } } }
  attr { key: "Tin" value { list { type: DT_FLOAT } } }
  attr { key: "Tout" value { list { type: DT_FLOAT } } } }
library {
  function {
    signature { name: "halve" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "r" type: DT_FLOAT } }
    node_def { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } }
    node_def { name: "half" op: "RealDiv" input: "a" input: "two:output:0"
      attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "large" op: "Greater" input: "half:z:0" input: "two:output:0"
      attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "if" op: "StatelessIf" input: "large:z:0" input: "half:z:0"
      attr { key: "Tcond" value { type: DT_BOOL } }
      attr { key: "Tin" value { list { type: DT_FLOAT } } }
      attr { key: "Tout" value { list { type: DT_FLOAT } } }
      attr { key: "then_branch" value { func { name: "halve" } } }
      attr { key: "else_branch" value { func { name: "same" } } } }
    ret { key: "r" value: "if:output:0" }
  }
  function {
    signature { name: "same" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "r" type: DT_FLOAT } }
    node_def { name: "_two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
    node_def { name: "_erf" op: "Erfc" input: "_two:output:0"
      attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "_sum" op: "AddV2" input: "a" input: "_erf:y:0"
      attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "r" value: "_sum:z:0" }
  }
}
"""


def test_functions_that_call_themselves_stay_functions(tmp_path: Path) -> None:
    graph_def = text_format.Parse(RECURSIVE.replace('"_', '"'), GraphDef())
    path = td.save_tfjs(graph_def, tmp_path / "web", outputs=["y"])
    functions = _written(path)["modelTopology"]["library"]["function"]
    assert {f["signature"]["name"] for f in functions} == {"halve", "same"}
    names = {weight["name"] for weight in _written(path)["weightsManifest"][0]["weights"]}
    assert "halve/two" in names
    with td.load(path) as model:
        np.testing.assert_allclose(model(20.0), 1.25 + math.erfc(1), rtol=1e-6)


def test_nodes_of_functions_may_begin_with_an_underscore(tmp_path: Path) -> None:
    topology = json_format.MessageToDict(text_format.Parse(RECURSIVE, GraphDef()))
    model = {"format": "graph-model", "modelTopology": topology, "weightsManifest": []}
    (tmp_path / "model.json").write_text(json.dumps(model))
    with td.load(tmp_path / "model.json") as loaded:
        np.testing.assert_allclose(loaded(20.0), 1.25 + math.erfc(1), rtol=1e-6)
