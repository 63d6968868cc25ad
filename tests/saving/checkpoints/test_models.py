"""Meta graphs and SavedModels: graphs with collections and signatures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td
from tensordraft import raw_ops
from tensordraft.model_files.loading import load_saved_model
from tensordraft.protos.messages import MetaGraphDef, SavedModel
from tensordraft.saving.checkpoints.meta_graph import export_meta_graph, import_meta_graph
from tensordraft.saving.checkpoints.signatures import Signature, read_signatures

pytestmark = pytest.mark.usefixtures("graph")
FILES = GOLDEN / "files"


def test_a_meta_graph_of_tensorflow_is_read(graph: td.Graph) -> None:
    import_meta_graph(FILES / "model.meta", import_scope="model")
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
    assert repr(signatures["main"].inputs["in"]).startswith("<td.Tensor 'x:0' shape=(batch,)")


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


def test_a_signature_may_name_a_variable_by_its_handle(graph: td.Graph) -> None:
    handle = raw_ops.VarHandleOp(dtype=td.int64, shape=[], shared_name="v", name="v")
    message = export_meta_graph(signatures={"main": Signature({}, {"v": handle})})
    message.signature_def["main"].outputs["v"].dtype = 9
    assert read_signatures(graph, message)["main"].outputs["v"] is handle


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
    model = load_saved_model(FILES / folder)
    signature = model.signatures["serving_default"]
    [x] = signature.inputs.values()
    with td.Session(graph=model.graph) as session:
        results = session.run(signature.outputs, {x: [[1.0, 2.0], [3.0, 3.0]]})
    if folder == "saved1":
        np.testing.assert_array_equal(results["out"], [[2, 4], [4, 5]])
    else:
        np.testing.assert_array_equal(results["sum"], [[8, 14], [20, 20]])


X = [[1.0, 2.0], [3.0, 3.0]]


@pytest.mark.parametrize("folder", ["saved_vars", "saved_refs"])
def test_saved_models_with_variables_are_restored(folder: str) -> None:
    model = load_saved_model(FILES / folder)
    signature = model.signatures["serving_default"]
    feeds = {signature.inputs["x"]: X}
    with td.Session(graph=model.graph) as session:
        with pytest.raises(td.errors.FailedPreconditionError, match="uninitialized value w"):
            session.run(signature.outputs, feeds)
        model.restore(session)
        results = session.run(signature.outputs, feeds)
        expected = [[5.5], [9.5]] if folder == "saved_vars" else [[10.5], [18.5]]
        np.testing.assert_array_equal(results["y"], np.array(expected, np.float32), strict=True)


def test_restored_variables_can_change() -> None:
    model = load_saved_model(FILES / "saved_vars")
    step = model.signatures["step"].outputs
    with td.Session(graph=model.graph) as session:
        model.restore(session)
        assert [session.run(step)["count"] for _ in range(2)] == [42, 43]
        model.restore(session)
        assert session.run(step) == {"count": 42}


def test_models_without_variables_need_no_restoring() -> None:
    model = load_saved_model(FILES / "saved1")
    with td.Session(graph=model.graph) as session:
        model.restore(session)
        assert session.run(model.signatures["serving_default"].outputs, {"x:0": X})["out"].size == 4


def copied(to: Path, without: str = "nothing", names: list[bytes] | None = None) -> Path:
    """A copy of a golden model: without some files, or with other names of what is restored."""
    shutil.copytree(FILES / "saved_refs", to)
    for path in to.glob(without):
        path.unlink()
    if names is not None:
        with edited(to) as meta_graph:
            tensor(meta_graph, "save/RestoreV2/tensor_names").string_val[:] = names
    return to


@contextmanager
def edited(folder: Path) -> Iterator[MetaGraphDef]:
    path = folder / "saved_model.pb"
    model = SavedModel.FromString(path.read_bytes())
    for node in model.meta_graphs[0].graph_def.node:
        node.attr.pop("_output_shapes", None)  # which may hold no longer
    yield model.meta_graphs[0]
    path.write_bytes(model.SerializeToString())


def tensor(meta_graph: MetaGraphDef, name: str) -> Any:
    [node] = [node for node in meta_graph.graph_def.node if node.name == name]
    return node.attr["value"].tensor


def restored(folder: Path) -> None:
    model = load_saved_model(folder)
    with td.Session(graph=model.graph) as session:
        model.restore(session)


def test_restoring_says_what_is_missing(tmp_path: Path) -> None:
    restored(copied(tmp_path / "whole"))
    with pytest.raises(td.errors.NotFoundError, match=r"no checkpoint '.*variables/variables'"):
        restored(copied(tmp_path / "no_index", without="variables/*.index"))
    with pytest.raises(td.errors.NotFoundError, match=r"no file '.*data-00000-of-00001'"):
        restored(copied(tmp_path / "no_data", without="variables/*.data*"))
    with pytest.raises(td.errors.NotFoundError, match=r"Key x not found .* 2 are missing: x, z"):
        restored(copied(tmp_path / "no_values", names=[b"x", b"z"]))


def test_restored_values_must_fit(tmp_path: Path) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=r"shape"):
        restored(copied(tmp_path / "swapped", names=[b"w", b"b"]))
    folder = tmp_path / "integers"
    shutil.copytree(FILES / "saved_vars", folder)
    with edited(folder) as meta_graph:
        for function in meta_graph.graph_def.library.function:
            for node in function.node_def:
                if node.name == "RestoreV2/tensor_names":
                    node.attr["value"].tensor.string_val[0] = b"count/.ATTRIBUTES/VARIABLE_VALUE"
    with pytest.raises(td.errors.InvalidArgumentError, match="is of dtype int32, not of float32"):
        restored(folder)


def read_parts(folder: Path, part: str) -> None:
    """Has the saver read a part of `w`."""
    with edited(folder) as meta_graph:
        slices = tensor(meta_graph, "save/RestoreV2/shape_and_slices")
        slices.string_val[:] = [b"", part.encode()]


def test_parts_of_tensors_are_restored(tmp_path: Path) -> None:
    folder = copied(tmp_path / "all")
    read_parts(folder, "2 1 0,2:-")
    restored(folder)
    folder = copied(tmp_path / "some")
    read_parts(folder, "2 1 1,1:-")
    with pytest.raises(ValueError, match=r"equal shapes, got \(2, 1\) and \(1, 1\)"):
        restored(folder)


def test_savers_that_cannot_be_followed_are_refused(tmp_path: Path) -> None:
    for part in ("4 1 0,2", "4 1 0,2:-:-", "a:b", "4 1 -1,2:-", "4 1 0:-"):
        folder = copied(tmp_path / part)
        read_parts(folder, part)
        with pytest.raises(ValueError, match=f"a part of 'w' cannot be '{part}'"):
            restored(folder)
    folder = copied(tmp_path / "nowhere")
    with edited(folder) as meta_graph:
        meta_graph.saver_def.restore_op_name = "nowhere"
    with pytest.raises(ValueError, match=r"to run: .*'nowhere' refers to an Operation not in"):
        restored(folder)
    folder = copied(tmp_path / "too_few")
    with edited(folder) as meta_graph:
        tensor(meta_graph, "save/RestoreV2/tensor_names").tensor_shape.dim[0].size = 1
    with pytest.raises(ValueError, match=r"tensor_names and shape_and_slices"):
        restored(folder)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(td.errors.NotFoundError, match="no SavedModel in"):
        load_saved_model(tmp_path)
    with pytest.raises(td.errors.NotFoundError, match=r"tags \['gpu'\]; there are \[\['serve'\]\]"):
        load_saved_model(FILES / "saved", ["gpu"])
    (tmp_path / "saved_model.pb").write_bytes(b"\xff")
    with pytest.raises(td.errors.DataLossError, match="is not a SavedModel"):
        load_saved_model(tmp_path)
    message = load_saved_model(FILES / "saved1", None).message
    assert message is not None
    assert message.meta_info_def.tags == ["serve"]
