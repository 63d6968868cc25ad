"""Partitioned variables: names, slices, look-ups, slots and checkpoints as in TensorFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.ops.variable_scopes.partitioners import slices

pytestmark = pytest.mark.usefixtures("graph")
if TYPE_CHECKING:
    from pathlib import Path

THREE = td.fixed_size_partitioner(3)


def table(rows: int, partitioner: Any, name: str = "w", **settings: Any) -> Any:
    """A variable of the numbers 0, 1, 2, … in rows of two."""
    values = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)
    shape = None if partitioner is None else [rows, 2]
    return td.get_variable(name, shape, initializer=values, partitioner=partitioner, **settings)


def test_parts_have_tensorflows_names_and_slices(session: td.Session) -> None:
    with td.variable_scope("layer", partitioner=THREE):
        w: Any = td.get_variable("w", [5, 2])
        scalar = td.get_variable("scalar", [])
    assert isinstance(w, td.PartitionedVariable)
    assert [(p.op.name, p.shape.as_list()) for p in w] == [
        ("layer/w/part_0", [2, 2]),
        ("layer/w/part_1", [2, 2]),
        ("layer/w/part_2", [1, 2]),
    ]
    specs = [part._get_save_slice_info().spec for part in w]
    assert specs == ["5 2 0,2:0,2", "5 2 2,2:0,2", "5 2 4,1:0,2"]
    assert (w.name, w.shape.as_list(), w.dtype, len(w)) == ("layer/w", [5, 2], td.float32, 3)
    assert scalar.op.name == "layer/scalar"
    assert td.global_variables() == [*w, scalar]
    whole = td.convert_to_tensor(w)
    assert (whole.op.name, whole.shape.as_list()) == ("layer/w", [5, 2])
    assert whole.op.inputs[0].op.name == "layer/w/ConcatPartitions/concat"
    session.run(td.global_variables_initializer())
    values = session.run([whole, *w])
    assert np.array_equal(values[0], np.concatenate(values[1:]))
    assert "partitions=[3, 1]" in repr(w)


def test_initializers_see_the_whole(session: td.Session) -> None:
    # Glorot's limit is of the shape [600, 3]: the square root of 6 / 603 and not of 6 / 5.
    w: Any = td.get_variable("w", [600, 3], partitioner=td.fixed_size_partitioner(300))
    given: list[Any] = []

    def initializer(shape: Any, dtype: Any, partition_info: Any) -> td.Tensor:
        given.append((list(shape), partition_info.full_shape, partition_info.var_offset))
        return td.zeros(shape, dtype)

    td.get_variable("v", [3], initializer=initializer, partitioner=THREE)
    session.run(td.global_variables_initializer())
    assert 0.09 < np.abs(session.run(w.as_tensor())).max() <= np.sqrt(6 / 603)
    assert given == [([1], [3], [0]), ([1], [3], [1]), ([1], [3], [2])]


def test_values_are_cut(session: td.Session) -> None:
    w = table(5, THREE)
    first = td.constant([[1, 2, 3]])
    by_columns = td.fixed_size_partitioner(2, 1)
    v: Any = td.get_variable("v", None, "int32", first, partitioner=by_columns)
    session.run(td.global_variables_initializer())
    assert [part.tolist() for part in session.run(list(v))] == [[[1, 2]], [[3]]]
    assert session.run(w.as_tensor()).ravel().tolist() == list(range(10))
    session.run(w.assign(td.ones([5, 2])))
    session.run(w.assign_add([np.full((2, 2), 2.0), np.zeros((2, 2)), np.ones((1, 2))]))
    session.run(w.assign_sub(w))
    assert session.run(w.as_tensor()).tolist() == [[0, 0]] * 5
    with pytest.raises(ValueError, match="must have 3 parts, got 2"):
        w.assign([1.0, 2.0])


def test_sharing() -> None:
    w: Any = td.get_variable("w", [4, 2], partitioner=THREE)
    whole = td.get_variable("whole", [4])
    with td.variable_scope("", reuse=True):
        assert td.get_variable("w", [4, 2], partitioner=THREE) is w
        assert td.get_variable("w") is w
        assert td.get_variable("w/part_1") is list(w)[1]
        with pytest.raises(ValueError, match=r"specified partitions \[2, 1\]"):
            td.get_variable("w", [4, 2], partitioner=td.fixed_size_partitioner(2))
        with pytest.raises(ValueError, match=r"specified shape \(9, 2\)"):
            td.get_variable("w", [9, 2], partitioner=THREE)
        with pytest.raises(ValueError, match="PartitionedVariable other does not exist"):
            td.get_variable("other", [4, 2], partitioner=THREE)
        with pytest.raises(ValueError, match="exists as a whole"):
            td.get_variable("whole", [4], partitioner=THREE)
    with td.variable_scope("", reuse=td.AUTO_REUSE):
        assert td.get_variable("w", [4, 2], partitioner=THREE) is w
    with pytest.raises(ValueError, match="exists in parts, such as w/part_0"):
        td.get_variable("w", [4, 2])
    with (
        td.variable_scope("", reuse=False),
        pytest.raises(ValueError, match="Partitioned variable with name w already exists"),
    ):
        td.get_variable("w", [4, 2], partitioner=THREE)
    assert whole.shape.as_list() == [4]


@pytest.mark.parametrize(
    ("partitioner", "shape", "dtype", "expected"),
    [
        (td.fixed_size_partitioner(5), [3, 2], "float32", [3, 1]),
        (td.fixed_size_partitioner(2, axis=-1), [3, 4], "float32", [1, 2]),
        (td.variable_axis_size_partitioner(64), [10, 4], "float32", [3, 1]),
        (td.variable_axis_size_partitioner(1), [3, 4], "float64", [3, 1]),
        (td.variable_axis_size_partitioner(16, max_shards=2), [10, 4], "float32", [2, 1]),
        (td.variable_axis_size_partitioner(64, bytes_per_string_element=8), [8], "string", [1]),
        (td.min_max_variable_partitioner(100, min_slice_size=16), [10, 4], "float32", [10, 1]),
        (td.min_max_variable_partitioner(100, 1, min_slice_size=64), [10, 4], "float32", [1, 3]),
        (td.min_max_variable_partitioner(), [1000, 1000], "float32", [1, 1]),
    ],
)
def test_partitioners(partitioner: Any, shape: list[int], dtype: str, expected: list[int]) -> None:
    """The numbers are TensorFlow's."""
    assert partitioner(shape=td.TensorShape(shape), dtype=td.as_dtype(dtype)) == expected


def test_what_partitioners_refuse() -> None:
    with pytest.raises(ValueError, match="max_shard_bytes must be positive, got 0"):
        td.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="axis = 1 is not a dimension"):
        td.get_variable("a", [3], partitioner=td.fixed_size_partitioner(2, 1))
    with pytest.raises(ValueError, match="may divide one dimension"):
        td.get_variable("a", [3, 3], partitioner=lambda **_: [2, 2])
    with pytest.raises(ValueError, match="a positive number for each dimension"):
        td.get_variable("a", [3, 3], partitioner=lambda **_: [0, 1])
    with pytest.raises(ValueError, match="must be fully defined"):
        td.get_variable("a", [None, 3], partitioner=THREE)
    with pytest.raises(ValueError, match="cannot be divided into 4 parts"):
        list(slices([3], [4]))


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_look_up_in_parts(session: td.Session, strategy: str, use_resource: bool) -> None:
    w = table(7, THREE, use_resource=use_resource)
    ids = np.array([[6, 0], [3, 4], [2, 0]])
    rows = td.nn.embedding_lookup(w, ids, strategy)
    whole = np.split(np.arange(14, dtype=np.float32).reshape(7, 2), [3, 5])
    where = [(i % 3, i // 3) if strategy == "mod" else in_blocks(i) for i in ids.flat]
    expected = np.array([whole[part][row] for part, row in where]).reshape(3, 2, 2)
    session.run(td.global_variables_initializer())
    assert rows.shape.as_list() == [3, 2, 2]
    assert np.array_equal(session.run(rows), expected)
    found = td.gradients(td.reduce_sum(rows), list(w))
    assert all(isinstance(gradient, td.IndexedSlices) for gradient in found)
    dense = session.run([td.convert_to_tensor(gradient) for gradient in found])
    counts = np.zeros((3, 3))
    for place in where:
        counts[place] += 1
    for gradient, count in zip(dense, counts, strict=True):
        assert gradient[:, 0].tolist() == count[: len(gradient)].tolist()


def in_blocks(row: int) -> tuple[int, int]:
    """The part, and the row of it, where parts of 3, 2 and 2 rows follow one another."""
    return (0, row) if row < 3 else (1 + (row - 3) // 2, (row - 3) % 2)


def test_look_up_in_parts_of_unknown_size(session: td.Session) -> None:
    parts = [td.placeholder("float32", [None, 2]) for _ in range(2)]
    rows = td.nn.embedding_lookup(parts, [3, 0, 2], "div", max_norm=1.0)
    feeds = {parts[0]: [[3.0, 4.0], [0, 1], [0, 0.5]], parts[1]: [[0.0, 2.0], [0, 0]]}
    expected = [[0.0, 1.0], [0.6, 0.8], [0.0, 0.5]]
    np.testing.assert_allclose(session.run(rows, feeds), expected, rtol=1e-6)


def train(partitioner: Any) -> tuple[Any, Any]:
    """A training step of a model whose tables are in parts, and its loss."""
    w = table(7, partitioner)
    half = td.constant_initializer(0.5)
    c = td.get_variable("c", [4], initializer=half, partitioner=partitioner, use_resource=True)
    rows = td.nn.embedding_lookup(w, [[0, 6], [3, 3]], "div")
    loss = td.reduce_sum(td.square(rows)) / 100 + td.reduce_sum(td.square(c))
    step = td.train.AdamOptimizer(0.1).minimize(loss)
    averages = td.train.ExponentialMovingAverage(0.9)
    with td.control_dependencies([step]):
        return averages.apply(td.trainable_variables()), loss


def test_checkpoints_hold_the_whole(tmp_path: Path) -> None:
    """A model saved in three parts continues in two, and as a whole, in the same steps."""
    path = str(tmp_path / "model")
    losses: list[list[float]] = []
    for number, partitioner in enumerate((THREE, td.fixed_size_partitioner(2), None)):
        with td.Graph().as_default(), td.Session() as session:
            step, loss = train(partitioner)
            saver = td.train.Saver()
            if number == 0:
                names = {v.op.name for v in td.global_variables()}
                assert {"w/part_0/Adam", "c/part_2/ExponentialMovingAverage"} <= names
                session.run(td.global_variables_initializer())
                session.run(step)
                saver.save(session, path)
            else:
                saver.restore(session, path)
            losses.append([float(session.run([loss, step])[0]) for _ in range(3)])
    np.testing.assert_allclose(losses[1:], losses[:1] * 2, rtol=1e-6)
    assert losses[0][2] < losses[0][0]
    shapes = dict(td.train.list_variables(path))
    assert shapes["w"] == shapes["w/Adam"] == [7, 2]
    assert shapes["c/ExponentialMovingAverage"] == [4]
    assert not any("part" in name for name in shapes)


def test_meta_graphs_keep_the_parts(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with td.Graph().as_default(), td.Session() as session:
        table(5, THREE)
        session.run(td.global_variables_initializer())
        td.train.Saver().save(session, path)
    with td.Graph().as_default(), td.Session() as session:
        saver: Any = td.train.import_meta_graph(path + ".meta")
        saver.restore(session, path)
        assert session.run("w/part_1:0").tolist() == [[4, 5], [6, 7]]
        assert [v._get_save_slice_info().full_name for v in td.global_variables()] == ["w"] * 3


def test_starting_from_checkpoints(session: td.Session, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with td.Graph().as_default(), td.Session() as other:
        whole = table(5, None)
        other.run(whole.initializer)
        td.train.Saver({"old/w": whole}).save(other, path)
    by_name, listed = table(5, THREE, "a"), table(5, THREE, "b")
    with td.variable_scope("new"):
        scoped = table(5, THREE)
    everything = by_name, listed, scoped
    session.run(td.global_variables_initializer())
    zeros = [part.assign(part * 0.0) for w in everything for part in w]
    td.train.init_from_checkpoint(path, {"old/w": "a"})
    td.train.init_from_checkpoint(path, {"old/w": listed})
    td.train.init_from_checkpoint(path, {"old/": "new/"})
    session.run(zeros)
    session.run(td.global_variables_initializer())
    for w in everything:
        assert session.run(w.as_tensor()).ravel().tolist() == list(range(10))
    session.run(zeros)
    td.train.warm_start(path, [scoped], var_name_to_prev_var_name={"new/w": "old/w"})
    td.train.Saver({"old/w": listed}).restore(session, path)
    session.run(td.variables_initializer(list(scoped)))
    sums = [session.run(w.as_tensor()).sum() for w in everything]
    assert sums == [0, 45, 45]


def test_vocabularies_of_parts(session: td.Session, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with td.Graph().as_default(), td.Session() as other:
        whole = table(3, None)
        other.run(whole.initializer)
        td.train.Saver().save(other, path)
    (tmp_path / "old").write_text("a\nb\nc\n")
    (tmp_path / "new").write_text("c\nd\na\n")
    w = table(3, td.fixed_size_partitioner(2))
    info = td.train.VocabInfo(str(tmp_path / "new"), -1, 0, str(tmp_path / "old"))
    td.train.warm_start(path, ".*", {"w": info})
    session.run(td.global_variables_initializer())
    assert session.run(w.as_tensor()).tolist() == [[4, 5], [0, 0], [0, 1]]


def test_layers_of_parts(session: td.Session) -> None:
    x = td.ones([4, 6])
    with td.variable_scope("net", partitioner=td.fixed_size_partitioner(2)):
        layer = td.layers.Dense(3, kernel_regularizer=td.nn.l2_loss, name="dense")
        y = td.layers.batch_normalization(layer(x), training=True)
    names = {v.op.name for v in td.global_variables()}
    assert {"net/dense/kernel/part_1", "net/batch_normalization/gamma/part_0"} <= names
    assert "net/batch_normalization/moving_mean" in names
    assert [w.op.name for w in layer.weights] == [
        f"net/dense/{name}/part_{i}" for name in ("kernel", "bias") for i in (0, 1)
    ]
    assert len(td.losses.get_regularization_losses()) == 2
    step = td.train.MomentumOptimizer(0.1, 0.9).minimize(td.reduce_sum(y**2))
    session.run(td.global_variables_initializer())
    session.run(step)
    kernel = np.concatenate(session.run(layer.weights[:2]))
    bias = np.concatenate(session.run(layer.weights[2:]))
    expected = np.ones((4, 6)) @ kernel + bias
    np.testing.assert_allclose(session.run(layer.output), expected, rtol=1e-5, atol=1e-6)


def test_optimizers_take_whole_variables(session: td.Session) -> None:
    w = table(3, THREE)
    optimizer = td.train.GradientDescentOptimizer(0.5)
    step = optimizer.minimize(td.reduce_sum(w), var_list=[w])
    session.run(td.global_variables_initializer())
    session.run(step)
    assert session.run(w.as_tensor()).ravel().tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5]


def test_custom_getters_see_the_partitioner() -> None:
    seen = []

    def getter(getter: Any, name: str, **settings: Any) -> Any:
        seen.append(settings["partitioner"])
        return getter(name, **settings)

    with td.variable_scope("scope", custom_getter=getter, partitioner=THREE):
        w: Any = td.get_variable("w", [3])
    assert seen == [THREE]
    assert isinstance(w, td.PartitionedVariable)


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_create_partitioned_variables() -> None:
    make = td.create_partitioned_variables
    with td.variable_scope("outer"):
        first = make([4, 3], [2, 1], td.zeros_initializer())
    second = make([4], [4], td.zeros_initializer(), td.int32, trainable=False, name="mine")
    assert [v.op.name for v in first] == [f"outer/PartitionedVariable/part_{i}" for i in (0, 1)]
    assert [v.op.name for v in second] == [f"mine/part_{i}" for i in range(4)]
    assert td.trainable_variables() == first
    with pytest.raises(ValueError, match="a number for each size"):
        make([4], [1, 1], td.zeros_initializer())


def test_what_is_no_partitioned_variable() -> None:
    w = table(3, THREE)
    part: Any = next(iter(w))
    make: Any = td.PartitionedVariable
    with pytest.raises(TypeError, match="variable_list must be a list"):
        make("w", [3, 2], "float32", part, [3, 1])
    with pytest.raises(ValueError, match="at least one variable"):
        make("w", [3, 2], "float32", [], [3, 1])
    with pytest.raises(ValueError, match="must be a part of a variable of shape"):
        make("w", [4, 2], "float32", [part], [3, 1])
    with pytest.raises(ValueError, match="2 positive numbers"):
        make("w", [3, 2], "float32", [part], [3])
    with pytest.raises(ValueError, match="at most one dimension may be divided"):
        len(make("w", [3, 2], "float32", [part], [3, 2]))
    with pytest.raises(TypeError, match="must be a Variable"):
        td.assign(w, 1.0)
    with pytest.raises(TypeError, match="is several variables"):
        td.gradients(td.reduce_sum(w), w)


@pytest.mark.parametrize(("rows", "columns", "axis"), [(5, 4, 0), (4, 5, 1), (6, 6, 0)])
def test_the_parts_of_an_identity_are_parts_of_one_identity(
    rows: int, columns: int, axis: int
) -> None:
    parts: Any = td.get_variable(
        "v",
        [rows, columns],
        initializer=td.initializers.identity(2.0),
        partitioner=td.fixed_size_partitioner(3, axis),
    )
    with td.Session() as session:
        session.run(td.global_variables_initializer())
        whole = session.run(td.convert_to_tensor(parts))
    assert whole.tolist() == (2 * np.eye(rows, columns)).tolist()
