"""Meta graphs and SavedModels: graphs with collections and signatures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.graph.meta_graph import (
    Signature,
    export_meta_graph,
    import_meta_graph,
    read_signatures,
)
from tensordraft.graph.saved_model import load_saved_model

GOLDEN = Path(__file__).parent / "golden" / "files"


@pytest.fixture(autouse=True)
def graph() -> Iterator[td.Graph]:
    with td.Graph().as_default() as graph:
        yield graph


def test_a_meta_graph_of_tensorflow_is_read(graph: td.Graph) -> None:
    import_meta_graph(GOLDEN / "model.meta", import_scope="model")
    ends = graph.get_collection("ends")
    assert [tensor.name for tensor in ends] == ["model/y:0", "model/x:0"]
    assert graph.get_collection("sizes") == [7]
    assert graph.get_collection("rate") == [0.5]
    assert graph.get_collection("tag") == [b"abc"]


def test_collections_go_out_and_come_back(graph: td.Graph, tmp_path: Path) -> None:
    x = td.placeholder(td.float32, ["batch"], name="x")
    y = td.identity(x, name="y")
    items: dict[str, list[Any]] = {
        "ends": [x, y.op],
        "sizes": [1, -2],
        "rates": [0.25],
        "words": ["a", b"\xff"],
    }
    graph.add_to_collection("odd", object())
    for key, values in items.items():
        for value in values:
            graph.add_to_collection(key, value)
    signature = Signature({"in": x}, {"out": y}, "predict")
    path = tmp_path / "model.meta"
    message = export_meta_graph(path, signatures={"main": signature}, tags=["serve"])
    assert sorted(message.collection_def) == sorted(items)
    assert [op.name for op in message.meta_info_def.stripped_op_list.op] == [
        "Identity",
        "Placeholder",
    ]
    with td.Graph().as_default() as copy:
        read = import_meta_graph(path)
    assert [item.name for item in copy.get_collection("ends")] == ["x:0", "y"]
    assert copy.get_collection("words") == [b"a", b"\xff"]
    signatures = read_signatures(copy, read)
    assert signatures["main"].outputs == {"out": copy.get_tensor_by_name("y:0")}
    assert str(signatures["main"].inputs["in"]).startswith("<td.Tensor 'x:0' shape=(batch,)")


def test_the_text_form_and_devices(tmp_path: Path) -> None:
    with td.device("/cpu:0"):
        td.constant(1, name="x")
    path = tmp_path / "model.pbtxt"
    export_meta_graph(path, as_text=True)
    with td.Graph().as_default() as copy:
        import_meta_graph(path, clear_devices=True)
    assert copy.get_operation_by_name("x").device == ""


def test_a_collection_that_names_nothing_leaves_nothing_behind(graph: td.Graph) -> None:
    td.constant(1, name="x")
    message = export_meta_graph()
    message.collection_def["ends"].node_list.value.append("nowhere:0")
    with td.Graph().as_default() as copy:
        with pytest.raises(ValueError, match=r"the collection 'ends': .*nowhere"):
            import_meta_graph(message)
        assert copy.version == 0


def test_signatures_must_fit(graph: td.Graph) -> None:
    x = td.placeholder(td.float32, [2], name="x")
    message = export_meta_graph(signatures={"main": Signature({"in": x}, {})})
    info = message.signature_def["main"].inputs["in"]
    info.dtype = 3
    with pytest.raises(ValueError, match="states dtype int32 for 'in', which is float32"):
        read_signatures(graph, message)
    info.dtype = 1
    info.tensor_shape.dim[0].size = 3
    with pytest.raises(ValueError, match=r"states shape \(3,\) for 'in', which is \(2,\)"):
        read_signatures(graph, message)
    info.name = "gone:0"
    with pytest.raises(ValueError, match=r"the signature 'main' has 'in': .*gone"):
        read_signatures(graph, message)


@pytest.mark.parametrize("folder", ["saved", "saved1"])
def test_saved_models_without_variables_run(folder: str) -> None:
    model = load_saved_model(GOLDEN / folder)
    signature = model.signatures["serving_default"]
    [x] = signature.inputs.values()
    with td.Session(graph=model.graph) as session:
        results = session.run(signature.outputs, {x: [[1.0, 2.0], [3.0, 3.0]]})
    if folder == "saved1":
        np.testing.assert_array_equal(results["out"], [[2, 4], [4, 5]])
    else:
        np.testing.assert_array_equal(results["sum"], [[8, 14], [20, 20]])


def test_saved_models_with_variables_say_what_is_missing() -> None:
    with pytest.raises(td.errors.UnimplementedError, match=r"need 1 variables.*: w; freeze"):
        load_saved_model(GOLDEN / "saved_vars")


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(td.errors.NotFoundError, match="no SavedModel in"):
        load_saved_model(tmp_path)
    with pytest.raises(td.errors.NotFoundError, match=r"tags \['gpu'\]; there are \[\['serve'\]\]"):
        load_saved_model(GOLDEN / "saved", ["gpu"])
    (tmp_path / "saved_model.pb").write_bytes(b"\xff")
    with pytest.raises(td.errors.DataLossError, match="is not a SavedModel"):
        load_saved_model(tmp_path)
    assert load_saved_model(GOLDEN / "saved1", None).message.meta_info_def.tags == ["serve"]
