"""SavedModels that are written here: read again, by name and by tag, with assets and init ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensordraft as td
from tensordraft.protos.messages import SavedModel


def model(session: td.Session) -> tuple[Any, Any]:
    """A line, whose variables are set; one of them is local."""
    x = td.placeholder(td.float32, [None], name="x")
    v = td.get_variable("v", initializer=3.0)
    w = td.get_variable("w", initializer=1.0, use_resource=True)
    offset = td.get_local_variable("offset", initializer=0.5)
    session.run([td.global_variables_initializer(), td.local_variables_initializer()])
    session.run([v.assign(4.0).op, w.assign(2.0).op])
    return x, td.add(x * v, w + offset, name="y")


@pytest.mark.parametrize("as_text", [False, True])
def test_what_is_built_is_loaded(session: td.Session, tmp_path: Path, as_text: bool) -> None:
    x, y = model(session)
    builder = td.saved_model.builder.SavedModelBuilder(tmp_path / "m")
    signature = td.saved_model.predict_signature_def({"in": x}, {"out": y})
    builder.add_meta_graph_and_variables(
        session,
        [td.saved_model.tag_constants.TRAINING],
        {"line": signature},
        main_op=td.local_variables_initializer(),
    )
    with td.Graph().as_default(), td.Session() as other:
        x, y = model(other)
        y = td.identity(y, name="again")
        builder.add_meta_graph(
            ["serve", "gpu"], {"line": td.saved_model.predict_signature_def({"in": x}, {"out": y})}
        )
    path = builder.save(as_text)
    assert path.endswith(b".pbtxt" if as_text else b".pb")
    assert td.saved_model.loader.maybe_saved_model_directory(tmp_path / "m")
    loaded = td.load(tmp_path / "m", ["train"])
    with loaded.session() as again:
        result = again.run(loaded.outputs, {loaded.inputs["in"]: [1.0, 2.0]})
    assert result["out"].tolist() == [6.5, 10.5]
    with td.Graph().as_default(), td.Session() as again:
        message = td.saved_model.load(again, ["train"], tmp_path / "m", import_scope="within")
        name = message.signature_def["line"].outputs["out"].name
        assert again.run(f"within/{name}", {"within/x:0": [1.0, 2.0]}).tolist() == [6.5, 10.5]
    with pytest.raises(td.errors.NotFoundError, match=r"tags \['serve'\]; there are \[\['train"):
        td.load(tmp_path / "m")
    assert td.load(tmp_path / "m", ["gpu", "serve"]).outputs["out"].name == "again:0"


def test_assets_are_copied_and_found(session: td.Session, tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "words.txt").write_text(folder)
    names = [td.constant(str(tmp_path / folder / "words.txt"), name=folder) for folder in "ab"]
    kept = td.Variable("", trainable=False, collections=[], name="kept")
    builder = td.saved_model.Builder(tmp_path / "m")
    builder.add_meta_graph_and_variables(
        session, ["serve"], None, names, main_op=kept.assign(names[1]).op
    )
    builder.save()
    (tmp_path / "m").rename(tmp_path / "moved")
    for folder in "ab":
        (tmp_path / folder / "words.txt").unlink()
    with td.load(tmp_path / "moved").session() as loaded:
        path = loaded.run("kept:0").decode()
    assert path == str(tmp_path / "moved" / "assets" / "words.txt_1")
    assert Path(path).read_text() == "b"
    with td.Graph().as_default(), td.Session() as loaded:
        td.saved_model.load(loaded, ["serve"], tmp_path / "moved")
        assert loaded.run("kept:0").decode() == path
        assert len(td.get_collection(td.saved_model.ASSETS_KEY)) == 2
        td.get_default_graph().clear_collection(td.saved_model.ASSETS_KEY)
        again = td.saved_model.Builder(tmp_path / "again")
        paths = [td.get_default_graph().get_tensor_by_name(f"{folder}:0") for folder in "ab"]
        again.add_meta_graph_and_variables(loaded, ["serve"], None, paths)
    copied = sorted((tmp_path / "again" / "assets").iterdir())
    assert [file.read_text() for file in copied] == ["a", "b"]


@pytest.mark.parametrize("name", ["../words", "a/../../b", "/etc/passwd", "..\\x"])
def test_assets_do_not_climb_out_of_the_folder(tmp_path: Path, name: str) -> None:
    message = SavedModel(saved_model_schema_version=1)
    with td.Graph().as_default() as graph:
        td.constant("", name="path")
        meta = message.meta_graphs.add(graph_def=graph.as_graph_def())
    meta.asset_file_def.add(filename=name).tensor_info.name = "path:0"
    (tmp_path / "saved_model.pb").write_bytes(message.SerializeToString())
    with pytest.raises(ValueError, match="outside of the folder"):
        td.load(tmp_path).session()


def test_the_order_of_calls_is_kept(session: td.Session, tmp_path: Path) -> None:
    x, y = model(session)
    builder = td.saved_model.Builder(tmp_path / "m")
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["serve"])
    nameless = td.saved_model.build_signature_def(
        {"x": type(td.saved_model.build_tensor_info(x))()}
    )
    with pytest.raises(AssertionError, match="must have the name field set"):
        builder.add_meta_graph_and_variables(session, ["serve"], {"s": nameless})
    with pytest.raises(ValueError, match="one of main_op and legacy_init_op"):
        builder.add_meta_graph_and_variables(
            session, ["serve"], legacy_init_op=y.op, main_op=td.no_op()
        )
    with pytest.raises(ValueError, match="an asset must be a constant"):
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[x])
    with pytest.raises(td.errors.NotFoundError, match="nowhere"):
        builder.add_meta_graph_and_variables(
            session, ["serve"], assets_collection=[td.constant("nowhere")]
        )
    builder.add_meta_graph_and_variables(session, ["serve"])
    with pytest.raises(AssertionError, match="has already been saved"):
        builder.add_meta_graph_and_variables(session, ["serve"])
    builder.save()
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        td.saved_model.Builder(tmp_path / "m")


def test_a_model_without_variables_is_saved(session: td.Session, tmp_path: Path) -> None:
    x = td.sparse_placeholder(td.float32, name="x")
    info = td.saved_model.build_tensor_info(x)
    again = td.saved_model.get_tensor_from_tensor_info(info)
    assert [again.indices, again.values, again.dense_shape] == [x.indices, x.values, x.dense_shape]
    y = td.constant(2.0, name="y")
    td.saved_model.simple_save(session, tmp_path / "m", {"y": y}, {"y": y})
    assert td.run_graph(tmp_path / "m", {"y": 5.0}) == {"y": 5.0}
    assert td.run_graph(tmp_path / "m", fetches="y:0") == {"y:0": 2.0}
    with pytest.raises(KeyError, match="the model has no 'z'; it has y"):
        td.run_graph(tmp_path / "m", fetches=["z"])


def test_signatures_are_checked() -> None:
    with td.Graph().as_default():
        x, s = td.placeholder(td.float32, name="x"), td.placeholder(td.string, name="s")
        utils = td.saved_model.signature_def_utils
        for good in (
            utils.predict_signature_def({"x": x}, {"y": x}),
            utils.regression_signature_def(s, x),
            utils.classification_signature_def(s, s, x),
            utils.classification_signature_def(s, None, x),
        ):
            assert utils.is_valid_signature(good)
            good.method_name = "other"
            assert not utils.is_valid_signature(good)
        wrong: list[tuple[Any, list[Any], str]] = [
            (utils.predict_signature_def, [{}, {"y": x}], "inputs must hold"),
            (utils.regression_signature_def, [x, x], "examples must be of dtype string"),
            (utils.regression_signature_def, [s, s], "predictions must be of dtype float32"),
            (utils.classification_signature_def, [s, None, None], "one of classes and scores"),
            (utils.classification_signature_def, [None, s, x], "examples cannot be None"),
        ]
        for call, given, message in wrong:
            with pytest.raises(ValueError, match=message):
                call(*given)


def test_reference_variables_have_their_own_name_in_signatures() -> None:
    with td.Graph().as_default():
        reference = td.Variable([1.0, 2.0], name="w")
        info = td.saved_model.build_tensor_info(reference)
        assert (info.name, info.dtype) == ("w:0", td.float32.as_datatype_enum)
        resource = td.Variable(1.0, name="r", use_resource=True)
        assert td.saved_model.build_tensor_info(resource).name == "ReadVariableOp:0"
