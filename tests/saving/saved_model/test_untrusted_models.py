"""SavedModels in sessions for graphs that are not trusted: their own folder is read, no more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

UNTRUSTED = td.ConfigProto(untrusted=True)


def saved(folder: Path, main_op: Callable[[], Any] | None = None, vocabulary: str = "") -> str:
    """A SavedModel with a variable, and perhaps with a vocabulary and something to run first."""
    path = str(folder / "model")
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2], name="x")
        y = x * td.get_variable("v", [2], initializer=td.constant_initializer([3.0, 4.0]))
        outputs = {"y": y}
        run_first = main_op() if main_op is not None else None
        if vocabulary:
            name = td.constant(vocabulary)
            td.add_to_collection(td.GraphKeys.ASSET_FILEPATHS, name)
            initializer = td.contrib.lookup.TextFileInitializer(
                name, td.string, 0, td.int64, 1, delimiter=" "
            )
            table = td.contrib.lookup.HashTable(initializer, -1)
            outputs["row"] = table.lookup(td.constant(["b"]))
            run_first = td.tables_initializer()
        session.run([td.global_variables_initializer(), td.tables_initializer()])
        builder = td.saved_model.builder.SavedModelBuilder(path)
        signature = td.saved_model.predict_signature_def({"x": x}, outputs)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            main_op=run_first,
            assets_collection=td.get_collection(td.GraphKeys.ASSET_FILEPATHS),
        )
        builder.save()
    return path


def test_variables_are_restored(tmp_path: Path) -> None:
    path = saved(tmp_path)
    model = td.load(path)
    with model.session(UNTRUSTED) as session:
        assert session.run(model.outputs["y"], {model.inputs["x"]: [1.0, 2.0]}).tolist() == [3, 8]
    with td.Graph().as_default(), td.Session(config=UNTRUSTED) as session:
        message = td.saved_model.loader.load(session, ["serve"], path)
        name = message.signature_def["serving_default"].outputs["y"].name
        assert session.run(name, {"x:0": [1.0, 2.0]}).tolist() == [3, 8]


def test_the_ops_that_restored_are_refused_by_themselves(tmp_path: Path) -> None:
    model = td.load(saved(tmp_path))
    assert model.message is not None
    reading = [op for op in model.graph.get_operations() if op.type == "RestoreV2"]
    refused = pytest.raises(td.errors.PermissionDeniedError, match="reads files")
    with model.session(UNTRUSTED) as session, refused:
        session.run(reading[0].outputs, {model.message.saver_def.filename_tensor_name: "x"})


def test_vocabularies_of_its_own_are_read(tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("a 0\nb 7\n")
    path = saved(tmp_path, vocabulary=str(words))
    words.unlink()
    model = td.load(path)
    with model.session(UNTRUSTED) as session:
        assert session.run(model.outputs["row"]).tolist() == [7]
        fills = [op for op in model.graph.get_operations() if op.type.startswith("InitializeTable")]
        with pytest.raises(td.errors.PermissionDeniedError, match="reads files"):
            session.run(fills)  # now the graph would name the file
    frozen = td.graph_util.freeze_model(path, ["row"])
    with td.Graph().as_default(), td.Session(config=UNTRUSTED) as session:
        td.import_graph_def(frozen, name="")
        assert session.run(model.outputs["row"].name).tolist() == [7]


def loaded(path: str) -> None:
    with td.Graph().as_default(), td.Session(config=UNTRUSTED) as session:
        td.saved_model.loader.load(session, ["serve"], path)


USES: dict[str, Callable[[str], Any]] = {
    "session": lambda path: td.load(path).session(UNTRUSTED),
    "loader": loaded,
    "freeze": td.graph_util.freeze_model,
}


@pytest.mark.parametrize("use", USES)
def test_what_runs_first_touches_nothing_else(use: str, tmp_path: Path) -> None:
    target = tmp_path / "written"
    path = saved(tmp_path, lambda: td.write_file(str(target), "x"))
    with pytest.raises(td.errors.PermissionDeniedError, match="writes files"):
        USES[use](path)
    assert not target.exists()
    td.load(path).session().close()
    assert target.exists()


@pytest.mark.parametrize("part", ["variables", "assets"])
def test_links_out_of_the_folder_are_refused(part: str, tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("a 0\nb 7\n")
    path = saved(tmp_path, vocabulary=str(words))
    os.rename(f"{path}/{part}", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", f"{path}/{part}")
    model = td.load(path)
    model.session().close()
    with pytest.raises(td.errors.PermissionDeniedError, match="leads out of the model's folder"):
        model.session(UNTRUSTED)


def test_a_checkpoint_that_the_caller_names_is_restored(tmp_path: Path) -> None:
    path = str(tmp_path / "v")
    with td.Graph().as_default() as graph:
        v = td.get_variable("v", [2], initializer=td.ones_initializer())
        parts = td.get_variable(
            "p", [4], initializer=td.ones_initializer(), partitioner=td.fixed_size_partitioner(2)
        )
        saver = td.train.Saver()
        with td.Session() as session:
            session.run(td.global_variables_initializer())
            saver.save(session, path)
    with td.Session(graph=graph, config=UNTRUSTED) as session:
        saver.restore(session, path)
        assert session.run([v, td.convert_to_tensor(parts)])[1].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("field", ["filename_tensor_name", "restore_op_name"])
@pytest.mark.parametrize("config", [None, UNTRUSTED])
def test_a_saver_that_names_what_is_not_there(field: str, config: Any, tmp_path: Path) -> None:
    model = td.load(saved(tmp_path))
    assert model.message is not None
    setattr(model.message.saver_def, field, "nowhere:0")
    with pytest.raises(ValueError, match="nowhere"):
        model.session(config)
