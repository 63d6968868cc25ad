"""Checkpoints: saved, restored, kept and deleted, damaged, interrupted, and TensorFlow's own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td
from tensordraft.formats.sorted_table import uncompressed

CHECKPOINT = GOLDEN / "checkpoint"


VALUES: dict[str, Any] = {
    "float32": np.array([[1.5, -2.5], [np.inf, np.nan]], np.float32),
    "int64": np.array(7, np.int64),
    "bool": np.array([True, False]),
    "complex64": np.array([1 + 2j], np.complex64),
    "bfloat16": np.array([1.5, -3.0], td.bfloat16.as_numpy_dtype),
    "string": np.array([[b"one", b""], [b"\x00\xff", b"four" * 100]], object),
    "empty": np.zeros((0, 3), np.float64),
    "no_strings": np.zeros(0, object),
}


def test_every_dtype_is_saved_and_restored(session: td.Session, tmp_path: Path) -> None:
    variables = {
        f"scope/{name}": td.Variable(
            td.constant(value, td.string if value.dtype == object else None), name=name
        )
        for name, value in VALUES.items()
    }
    saver = td.train.Saver(variables)
    session.run(td.global_variables_initializer())
    path = saver.save(session, tmp_path / "model")
    for variable in variables.values():
        zeros = td.zeros(variable.shape, variable.dtype)
        session.run(variable.assign(zeros))
    saver.restore(session, path)
    for name, value in VALUES.items():
        result = np.asarray(session.run(variables[f"scope/{name}"]))
        assert result.dtype == value.dtype, name
        assert result.shape == value.shape, name
        assert result.tobytes() == value.tobytes() or result.tolist() == value.tolist(), name
    listed = dict(td.train.list_variables(path))
    assert listed["scope/string"] == [2, 2]
    assert td.train.load_variable(path, "scope/int64:0") == 7


def test_the_same_values_give_the_same_bytes(session: td.Session, tmp_path: Path) -> None:
    v = td.Variable([1, 2])
    session.run(v.initializer)
    saver = td.train.Saver()
    one, other = (saver.save(session, str(tmp_path / name)) for name in "ab")
    for suffix in (".index", ".data-00000-of-00001"):
        assert Path(one + suffix).read_bytes() == Path(other + suffix).read_bytes()


def test_the_latest_checkpoints_are_kept(session: td.Session, tmp_path: Path) -> None:
    v = td.Variable(0)
    step = td.Variable(0, name="step")
    session.run(td.global_variables_initializer())
    saver = td.train.Saver(max_to_keep=2)
    assert td.train.latest_checkpoint(tmp_path) is None
    paths = []
    for _ in range(4):
        session.run([v.assign_add(10), step.assign_add(1)])
        paths.append(saver.save(session, tmp_path / "model", global_step=step))
    assert [os.path.basename(path) for path in paths] == [f"model-{i}" for i in (1, 2, 3, 4)]
    assert saver.last_checkpoints == paths[2:]
    state = td.train.get_checkpoint_state(tmp_path)
    assert state is not None
    assert state.model_checkpoint_path == td.train.latest_checkpoint(tmp_path) == paths[-1]
    assert state.all_model_checkpoint_paths == paths[2:]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint",
        *(f"model-{i}.{end}" for i in (3, 4) for end in ("data-00000-of-00001", "index", "meta")),
    ]
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    tmp_path.rename(moved)
    saver.restore(session, td.train.latest_checkpoint(moved) or "")
    assert session.run(v) == 40


def test_names_are_padded_and_odd_ones_survive(session: td.Session, tmp_path: Path) -> None:
    td.Variable(1)
    session.run(td.global_variables_initializer())
    folder = tmp_path / 'a "b" ü\n'
    folder.mkdir()
    saver = td.train.Saver(pad_step_number=True)
    path = saver.save(session, folder / 'm"\\', 5)
    assert path.endswith("-00000005")
    assert td.train.latest_checkpoint(folder) == path


def test_what_does_not_fit_is_refused(session: td.Session, tmp_path: Path) -> None:
    v = td.Variable([1, 2, 3, 4], name="v")
    session.run(v.initializer)
    path = td.train.Saver().save(session, tmp_path / "model")
    w = td.Variable([[0, 0], [0, 0]], name="w")
    x = td.Variable([0.0], name="x")
    with pytest.raises(td.errors.InvalidArgumentError, match="'v' in the checkpoint is of shape"):
        td.train.Saver({"v": w}).restore(session, path)
    with pytest.raises(td.errors.InvalidArgumentError, match="of dtype int32, not of float32"):
        td.train.Saver({"v": x}).restore(session, path)
    with pytest.raises(td.errors.NotFoundError, match="Key w not found in checkpoint"):
        td.train.Saver([w]).restore(session, path)
    with pytest.raises(ValueError, match="is not a valid checkpoint"):
        td.train.Saver([v]).restore(session, tmp_path / "other")
    with pytest.raises(td.errors.FailedPreconditionError, match="uninitialized value w"):
        td.train.Saver([w]).save(session, tmp_path / "other")
    td.train.Saver({"v": w}, reshape=True).restore(session, path)
    assert session.run(w).tolist() == [[1, 2], [3, 4]]


def test_what_is_no_variable_is_refused() -> None:
    with td.Graph().as_default():
        wrong: Any = td.constant(1)
        with pytest.raises(ValueError, match="No variables to save"):
            td.train.Saver()
        with pytest.raises(TypeError, match="saves variables and tables that can be changed, got"):
            td.train.Saver({"v": wrong})


KILLED = """
import os, random, select, signal, sys
import numpy as np
import tensordraft as td

folder = sys.argv[1]
rng = random.Random(11)
last = 0
with td.Graph().as_default(), td.Session() as session:
    v = td.Variable(np.zeros(2000), name="v")
    n = td.Variable(0, name="n")
    step = td.group(v.assign_add(np.ones(2000)), n.assign_add(1))
    saver = td.train.Saver(max_to_keep=1)  # the one before goes when the new one is complete
    session.run(td.global_variables_initializer())
    saver.save(session, os.path.join(folder, "model"), global_step=n)
    for _ in range(int(sys.argv[2])):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            while True:
                os.write(writing, b".")
                session.run(step)
                saver.save(session, os.path.join(folder, "model"), global_step=n)
        os.read(reading, 1), os.read(reading, 1)  # the second says that one save is complete
        select.select([], [], [], rng.random() * 0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading), os.close(writing)
        latest = td.train.latest_checkpoint(folder)
        saver.restore(session, latest)
        value, number = session.run([v, n])
        assert (value == number).all() and number >= last, (value, number, last)
        assert latest.endswith(f"model-{number}")
        state = td.train.get_checkpoint_state(folder)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        last = number
print(last)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("times", [3, pytest.param(100, marks=pytest.mark.soak)])
def test_a_killed_save_leaves_the_checkpoint_before(times: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(times)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= times


def test_a_checkpoint_of_tensorflow_is_read() -> None:
    assert td.train.latest_checkpoint(CHECKPOINT) == str(CHECKPOINT / "model-7")
    assert td.train.list_variables(CHECKPOINT) == [
        ("half", [2]),
        ("layer/bias", [2]),
        ("layer/kernel", [3, 2]),
        ("mix", [2, 2]),
        ("names", [3]),
        ("step", []),
    ]
    reader = td.train.load_checkpoint(CHECKPOINT)
    assert reader.get_tensor("layer/kernel").tolist() == [[1, 2], [3, 4], [5, 6]]
    assert reader.get_tensor("half").tolist() == [1.5, -2.5]
    assert reader.get_tensor("names").tolist() == [b"one", b"", b"three"]
    assert reader.get_tensor("step") == 7
    assert reader.get_variable_to_dtype_map()["half"] == td.bfloat16
    assert reader.has_tensor("mix")
    with pytest.raises(td.errors.NotFoundError, match="Key w not found"):
        reader.get_tensor("w")


def test_a_model_of_tensorflow_is_restored_run_and_frozen() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        saver = td.train.import_meta_graph(CHECKPOINT / "model-7.meta")
        assert saver is not None
        saver.restore(session, CHECKPOINT / "model-7")
        before = session.run("result:0", {"features:0": [[1, 1, 1]]})
        frozen = td.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["result"]
        )
        names = {v.op.name: v for v in td.global_variables()}
        assert [v.op.name for v in td.trainable_variables()] == [
            "layer/kernel",
            "layer/bias",
            "mix",
        ]
        kernel = names["layer/kernel"]
        assert session.run(kernel.assign_add(np.ones((3, 2))))[0].tolist() == [2, 3]
        assert session.run(kernel[0] * 2.0).tolist() == [4, 6]
    assert before.tolist() == [[9.5, 9.5]]
    assert not {"VarHandleOp", "VariableV2", "ReadVariableOp"} & {node.op for node in frozen.node}
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(frozen, name="")
        assert session.run("result:0", {"features:0": [[1, 1, 1]]}).tolist() == [[9.5, 9.5]]


def test_a_damaged_checkpoint_of_tensorflow_is_refused(tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in CHECKPOINT.iterdir()}
    rng = random.Random(2)
    for name in ("model-7.index", "model-7.data-00000-of-00001"):
        refused = 0
        for _ in range(25):
            place = rng.randrange(len(files[name]))
            for other, data in files.items():
                (tmp_path / other).write_bytes(data)
            damaged = bytearray(files[name])
            damaged[place] ^= 1 << rng.randrange(8)
            (tmp_path / name).write_bytes(damaged)
            try:
                with td.train.load_checkpoint(tmp_path) as reader:
                    for tensor in reader.get_variable_to_shape_map():
                        reader.get_tensor(tensor)
            except td.errors.OpError:
                refused += 1
        assert refused > 15, name


def test_own_meta_graphs_go_through_files(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.get_variable("v", initializer=[1.0, 2.0])
        td.Variable(3, trainable=False, name="w")
        td.multiply(v, 2.0, name="double")
        session.run(td.global_variables_initializer())
        path = td.train.Saver().save(session, tmp_path / "model")
    for scope in ("", "copy"):
        prefix = f"{scope}/" if scope else ""
        with td.Graph().as_default(), td.Session() as session:
            saver = td.train.import_meta_graph(path + ".meta", import_scope=scope)
            assert saver is not None
            saver.restore(session, path)
            assert session.run(f"{prefix}double:0").tolist() == [2, 4]
            assert [v.op.name for v in td.global_variables()] == [f"{prefix}v", f"{prefix}w"]
            [trainable] = td.trainable_variables()
            assert trainable is td.global_variables()[0]
            assert session.run(td.global_variables_initializer()) is None
            assert session.run(trainable.assign_add([1.0, 1.0])).tolist() == [2, 3]


def test_snappy_blocks_are_read() -> None:
    text = b"the quick brown fox " * 30
    packed = bytes([0xD8, 0x04, 19 << 2]) + text[:20]
    rest = len(text) - 20
    while rest:
        step = min(64, rest)
        packed += bytes([(step - 1) << 2 | 2, 20, 0])
        rest -= step
    assert uncompressed(packed) == text
    for damaged in (packed[:-1], b"\x05\x08abc", b"\x06\x01\x09", b"\xff\xff\xff\xff\xff"):
        with pytest.raises(ValueError, match=r"block|number"):
            uncompressed(damaged)
