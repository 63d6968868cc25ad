"""Checkpoints of objects: both ways with TensorFlow's, what does not fit, and nothing half done."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td
from tensordraft.formats.checkpoints.bundle_writer import Saved, write_bundle
from tensordraft.protos.messages import TrackableObjectGraph
from tensordraft.training.checkpoints.object_tracking import ObjectGraph

pytestmark = pytest.mark.usefixtures("session")
RECORDED = str(GOLDEN / "objects" / "three")
FOURTH = [0.3960595726966858, 0.3960595726966858]  # of TensorFlow, one step further
KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


class Model(td.Module):
    """The model of make_object_checkpoint.py, with other names and values of variables."""

    def __init__(self) -> None:
        super().__init__("model")
        self.w = td.get_variable("other/w", [2], initializer=td.ones_initializer())
        self.parts = [td.Variable(0.0, name="q0"), {"k": td.Variable(0.0, name="qk")}]
        self._hidden = td.Variable(0.0, name="unseen", use_resource=True)


class Training:
    """A model, its optimizer, and a checkpoint of both."""

    def __init__(self, **further: Any) -> None:
        self.model = Model()
        self.step = td.train.get_or_create_global_step()
        loss = td.reduce_sum(td.square(self.model.w - 1.0))
        self.optimizer = td.train.AdamOptimizer(0.1)
        self.update = self.optimizer.minimize(loss, global_step=self.step)
        self.checkpoint = td.train.Checkpoint(
            model=self.model, optimizer=self.optimizer, step=self.step, **further
        )


def test_tensorflow_s_objects_go_on_training(session: td.Session) -> None:
    training = Training()
    status = training.checkpoint.restore(RECORDED)
    with pytest.raises(AssertionError, match=r"no values for the variables \['save_counter'\]"):
        status.assert_consumed()
    status.assert_nontrivial_match().expect_partial().initialize_or_restore()
    parts, hidden = session.run([training.model.parts, training.model._hidden])
    assert (parts, hidden) == ([3.0, {"k": 4.0}], 5.0)
    assert session.run([training.step, training.checkpoint.save_counter]) == [3, 0]
    session.run(training.update)
    np.testing.assert_allclose(session.run(training.model.w), FOURTH, rtol=1e-6)


def test_objects_are_told_as_tensorflow_tells_them() -> None:
    reader = td.train.load_checkpoint(RECORDED)
    theirs = TrackableObjectGraph.FromString(reader.get_tensor(KEY))
    ours = ObjectGraph(Training().checkpoint).message

    def shapes(graph: TrackableObjectGraph) -> list[Any]:
        return [
            (
                [(child.node_id, child.local_name) for child in node.children],
                [(item.name, item.checkpoint_key) for item in node.attributes],
                [
                    (slot.original_variable_node_id, slot.slot_name, slot.slot_variable_node_id)
                    for slot in node.slot_variables
                ],
            )
            for node in graph.nodes
        ]

    assert shapes(ours) == shapes(theirs)


def test_what_is_saved_is_restored_by_the_paths_of_objects(
    session: td.Session, tmp_path: Path
) -> None:
    training = Training()
    session.run(td.global_variables_initializer())
    session.run(training.update)
    prefix = str(tmp_path / "run" / "model")
    os.mkdir(tmp_path / "run")
    paths = [training.checkpoint.save(prefix), training.checkpoint.save(prefix, session)]
    assert [os.path.basename(path) for path in paths] == ["model-1", "model-2"]
    assert td.train.latest_checkpoint(str(tmp_path / "run")) == paths[1]
    state = session.run([training.model.w, training.optimizer.variables()])
    with td.Graph().as_default(), td.Session() as other:
        again = Training()
        status = again.checkpoint.restore(paths[1])
        status.assert_consumed().run_restore_ops(other)
        for one, two in zip(
            [state[0], *state[1]],
            other.run([again.model.w, *again.optimizer.variables()]),
            strict=True,
        ):
            np.testing.assert_array_equal(one, two)
        assert other.run(again.checkpoint.save_counter) == 2


def test_layers_models_and_cells_are_followed(session: td.Session, tmp_path: Path) -> None:
    def built() -> tuple[td.train.Checkpoint, list[Any]]:
        dense = td.layers.Dense(2, name="some")
        normalization = td.layers.BatchNormalization()
        cell = td.nn.rnn_cell.GRUCell(2)
        model = td.keras.Sequential([td.keras.layers.Dense(3, input_shape=(2,))])
        x = normalization(dense(td.ones([1, 3])))
        cell(x, cell.zero_state(1, td.float32))
        checkpoint = td.train.Checkpoint(net={"first": dense}, rest=[normalization, cell], m=model)
        own = [*dense.variables, *normalization.variables, *cell.variables, *model.weights]
        return checkpoint, own

    checkpoint, variables = built()
    session.run(td.global_variables_initializer())
    for i, variable in enumerate(variables):
        variable.load(np.full(variable.shape.as_list(), i, np.float32), session)
    path = checkpoint.write(tmp_path / "net", session)
    names = set(td.train.load_checkpoint(path).get_variable_to_shape_map())
    assert "net/first/kernel/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert "rest/1/_gate_kernel/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert "m/layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE" in names
    with td.Graph().as_default(), td.Session() as other:
        again, same = built()
        again.restore(path).initialize_or_restore(other)
        assert [float(other.run(v).flat[0]) for v in same] == list(range(len(variables)))


def test_variables_that_come_later_are_restored_too(session: td.Session, tmp_path: Path) -> None:
    whole = td.train.Checkpoint(a=td.Variable(1.0), b=td.Variable(2.0))
    session.run(td.global_variables_initializer())
    path = whole.save(str(tmp_path / "x"))
    later = td.train.Checkpoint(a=td.Variable(0.0))
    status = later.restore(path)
    with pytest.raises(AssertionError, match=r"values that nothing takes: \['b/\.ATTRIBUTES"):
        status.assert_consumed()
    later.b = td.Variable(0.0)  # type: ignore[attr-defined]
    status.assert_consumed().run_restore_ops()
    assert session.run([later.a, later.b]) == [1.0, 2.0]  # type: ignore[attr-defined]


def test_checkpoints_of_savers_fit_by_name(session: td.Session, tmp_path: Path) -> None:
    v = td.Variable([1.0, 2.0], name="v")
    session.run(v.initializer)
    path = td.train.Saver().save(session, str(tmp_path / "named"))
    session.run(v.assign([0.0, 0.0]))
    checkpoint = td.train.Checkpoint(anything=v)
    checkpoint.restore(path).initialize_or_restore()
    assert session.run(v).tolist() == [1.0, 2.0]


def test_what_does_not_fit_changes_nothing(session: td.Session, tmp_path: Path) -> None:
    a, b = td.Variable(1.0), td.Variable([2.0])
    saved = td.train.Checkpoint(a=a, b=b)
    session.run(td.global_variables_initializer())
    path = saved.save(str(tmp_path / "x"))
    first, second = td.Variable(7.0), td.Variable([8.0, 9.0])
    third = td.Variable(np.float64(3.0))
    session.run(td.global_variables_initializer())
    with pytest.raises(ValueError, match=r"'b/.* as float32\[1\], where the variable .*\(2,\)"):
        td.train.Checkpoint(a=first, b=second).restore(path).run_restore_ops()
    with pytest.raises(ValueError, match=r"'a/.* as float32\[\], where .* is float64\(\)"):
        td.train.Checkpoint(b=first, a=third).restore(path).run_restore_ops()
    assert session.run([first, third]) == [7.0, 3.0]


def test_what_is_refused(session: td.Session, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"variables, modules, layers, .* x is 3"):
        td.train.Checkpoint(x=3)
    checkpoint = td.train.Checkpoint(v=td.Variable(1.0, name="v"))
    with pytest.raises(td.errors.FailedPreconditionError, match="v"):
        checkpoint.save(str(tmp_path / "x"))
    with pytest.raises(td.errors.NotFoundError, match="there is no checkpoint"):
        checkpoint.restore(str(tmp_path / "x"))
    with pytest.raises(AssertionError, match="nothing to restore"):
        checkpoint.restore(None).run_restore_ops()
    with pytest.raises(AssertionError, match="nothing in the checkpoint fits"):
        checkpoint.restore(RECORDED).assert_nontrivial_match()
    session.__exit__(None, None, None)
    try:
        with pytest.raises(ValueError, match="there is no session: pass one"):
            checkpoint.save(str(tmp_path / "x"))
    finally:
        session.__enter__()


def expected(*nodes: dict[str, Any]) -> bytes:
    return TrackableObjectGraph(nodes=nodes).SerializeToString()


GONE = {"attributes": [{"name": "VARIABLE_VALUE", "checkpoint_key": "gone"}]}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"\x0a\xff", td.errors.DataLossError),  # cut off
        (
            expected({"children": [{"node_id": 1, "local_name": "v"}]}, GONE),
            td.errors.NotFoundError,
        ),
    ],
)
def test_damaged_object_graphs_are_refused(
    session: td.Session, tmp_path: Path, text: bytes, error: type[Exception]
) -> None:
    checkpoint, status = opened(tmp_path, text, session)
    with pytest.raises(error):
        status().initialize_or_restore()
    assert session.run(checkpoint.v) == 1.0


@pytest.mark.parametrize("number", [9, -3, 2**31 - 1])
def test_objects_that_are_not_there_have_no_values(
    session: td.Session, tmp_path: Path, number: int
) -> None:
    text = expected({"children": [{"node_id": number, "local_name": "v"}]})
    checkpoint, status = opened(tmp_path, text, session)
    status().initialize_or_restore()
    assert session.run(checkpoint.v) == 1.0
    with pytest.raises(AssertionError, match="no values for the variables"):
        status().assert_existing_objects_matched()


def opened(folder: Path, text: bytes, session: td.Session) -> tuple[Any, Callable[[], Any]]:
    """A checkpoint with a variable, and what opens a file that describes the objects `text`."""
    prefix = str(folder / "bad")
    write_bundle(prefix, [Saved(KEY, td.string, np.array(text, object))])
    checkpoint = td.train.Checkpoint(v=td.Variable(1.0))
    session.run(td.global_variables_initializer())
    return checkpoint, lambda: checkpoint.restore(prefix)


def test_managers_keep_the_latest_and_go_on(session: td.Session, tmp_path: Path) -> None:
    step = td.Variable(10, name="step")
    session.run(td.global_variables_initializer())
    folder = str(tmp_path / "kept")
    manager = td.train.CheckpointManager(td.train.Checkpoint(step=step), folder, 2)
    assert manager.latest_checkpoint is None
    for _ in range(3):
        manager.save()
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-2", "ckpt-3"]
    files = ["checkpoint"]
    files += [f"ckpt-{i}.{end}" for i in (2, 3) for end in ("data-00000-of-00001", "index")]
    assert sorted(os.listdir(folder)) == files
    again = td.train.CheckpointManager(td.train.Checkpoint(step=step), folder, 2)
    assert again.latest_checkpoint == manager.latest_checkpoint
    again.checkpoint.restore(again.latest_checkpoint).assert_consumed().run_restore_ops()
    assert [os.path.basename(again.save(number)) for number in (None, 8, step)] == [
        "ckpt-4",
        "ckpt-8",
        "ckpt-10",
    ]
    assert [os.path.basename(path) for path in again.checkpoints] == ["ckpt-8", "ckpt-10"]
    assert again.directory == folder


def test_managers_keep_one_of_so_many_hours_for_good(session: td.Session, tmp_path: Path) -> None:
    step = td.Variable(0, name="step")
    session.run(td.global_variables_initializer())
    manager = td.train.CheckpointManager(
        td.train.Checkpoint(step=step), tmp_path, 1, keep_checkpoint_every_n_hours=0
    )
    for _ in range(3):
        manager.save()
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-3"]
    assert {f"ckpt-{i}.index" for i in (1, 2, 3)} <= set(os.listdir(tmp_path))
    everything = td.train.CheckpointManager(td.train.Checkpoint(step=step), tmp_path / "all", None)
    for _ in range(7):
        everything.save(session=session)
    assert len(everything.checkpoints) == 7
    with pytest.raises(ValueError, match="max_to_keep must be a positive number or None, got 0"):
        td.train.CheckpointManager(td.train.Checkpoint(), tmp_path, 0)
