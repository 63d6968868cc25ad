"""Arguments of ops that TensorFlow 1.x accepts or refuses, where mistakes are likely."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td


def value(tensor: Any) -> Any:
    with td.Session(graph=tensor.graph) as session:
        return session.run(tensor)


def test_reductions_of_an_empty_list_have_the_dtype_they_need() -> None:
    with td.Graph().as_default():
        assert [value(td.reduce_all([])), value(td.reduce_any([]))] == [True, False]
        assert td.reduce_all([]).dtype == td.bool
        assert td.reduce_sum([]).dtype == td.float32
        with pytest.raises(TypeError, match="input is float32, and must be bool"):
            td.reduce_all([1.0])


def test_arrays_wrap_in_the_dtype_asked_for() -> None:
    with td.Graph().as_default():
        assert value(td.constant(np.array([-1, 300]), td.uint8)).tolist() == [255, 44]
        assert value(td.constant(np.int64(-1), td.uint8)) == 255
        assert value(td.constant(np.array([1.7, -1.2]), td.int32)).tolist() == [1, -1]
        assert value(td.convert_to_tensor(np.array([-1]), td.uint8)).tolist() == [255]
        with pytest.raises(ValueError, match=r"-1 is not in \[0, 255\]"):
            td.constant(-1, td.uint8)


def test_an_array_is_stacked_by_its_rows() -> None:
    rows = np.arange(6).reshape(2, 3)
    with td.Graph().as_default():
        assert value(td.parallel_stack(rows)).tolist() == rows.tolist()


@pytest.mark.parametrize("function", ["abs", "negative", "sign", "square"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "complex64"])
def test_functions_of_sparse_tensors_are_those_of_their_values(function: str, dtype: str) -> None:
    values = np.array([-2, 3], dtype)
    with td.Graph().as_default(), td.Session() as session:
        x = td.SparseTensor([[0, 0], [1, 2]], values, [2, 3])
        y: Any = getattr(td, function)(x)
        assert isinstance(y, td.SparseTensor)
        result = session.run(y)
    expected = getattr(np, function)(values)
    assert (result.values.dtype, result.values.tolist()) == (expected.dtype, expected.tolist())
    assert (result.indices.tolist(), result.dense_shape.tolist()) == ([[0, 0], [1, 2]], [2, 3])


@pytest.mark.parametrize("function", ["sqrt", "tanh", "erf"])
def test_functions_of_sparse_floats(function: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.SparseTensor([[1]], [0.25], [3])
        y: Any = getattr(td, function)(x, name="y")
        dense = getattr(td, function)(td.constant([0.25]))
        assert y.values.op.name == "y"
        assert session.run(y.values).tolist() == session.run(dense).tolist()
        with pytest.raises(TypeError):
            td.exp(td.SparseTensor([[1]], [0.25], [3]))  # exp(0) is not 0


def test_limits_do_not_widen_what_they_clip() -> None:
    with td.Graph().as_default():
        x = td.constant([1.0, 2.0])
        for clip in (td.clip_by_norm, td.clip_by_average_norm):
            with pytest.raises(ValueError, match="incompatible"):
                clip(x, [[1.0, 2.0]])
            with pytest.raises(ValueError, match=r"broadcast|3"):
                clip(x, [1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="incompatible"):
            td.clip_by_value(x, [[1.0, 2.0]], 3.0)
        np.testing.assert_allclose(value(td.clip_by_norm(x, [1.0, 2.0])), [0.4472136, 1.7888544])


def test_average_norms_are_clipped() -> None:
    with td.Graph().as_default():
        x = td.constant([[-3.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
        clipped = value(td.clip_by_average_norm(x, 0.8))
        np.testing.assert_allclose(clipped, [[-2.88, 0, 0], [3.84, 0, 0]], rtol=1e-6)
        np.testing.assert_allclose(value(td.clip_by_average_norm(x, 0.9)), value(x))


@pytest.mark.parametrize(
    "initializer",
    [
        "random_normal_initializer",
        "truncated_normal_initializer",
        "variance_scaling_initializer",
        "uniform_unit_scaling_initializer",
        "orthogonal_initializer",
    ],
)
@pytest.mark.parametrize("dtype", [td.string, td.int32, td.bool, td.complex64])
def test_initializers_of_floats_take_no_other_dtype(initializer: str, dtype: td.DType) -> None:
    with pytest.raises(ValueError, match="must be a floating one"):
        getattr(td, initializer)(dtype=dtype)


def test_initializers_refuse_what_they_cannot_make() -> None:
    with td.Graph().as_default():
        for dtype in (td.string, td.bool, td.uint8, td.complex64):
            with pytest.raises(ValueError, match="must be a floating one, int32 or int64"):
                td.random_uniform([2], 0, 1, dtype)
        with pytest.raises(TypeError, match="got None"):
            td.constant_initializer(None)
        with pytest.raises(ValueError, match="initializer for variable 'c' of complex64"):
            td.get_variable("c", [1], td.complex64)


def test_ranks_are_integer_scalars() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        for check in (td.assert_rank, td.assert_rank_at_least):
            with pytest.raises(ValueError, match="Rank must be a scalar"):
                check([1.0], np.array([1]))
            with pytest.raises(TypeError, match="int32"):
                check([1.0], 1.5)
        with pytest.raises(ValueError, match="Rank must be a scalar"):
            td.assert_rank_in([1.0], ([1], 2))
        assert td.assert_rank([1.0], td.constant(1)).type == "NoOp"
        asked = td.placeholder(td.int32, [])
        checks = [
            td.assert_rank([1.0], asked),
            td.assert_rank_at_least([1.0], asked),
            td.assert_rank_in([1.0], [asked, 3]),
        ]
        session.run(checks, {asked: 1})
        for check_op in checks:
            with pytest.raises(td.errors.InvalidArgumentError, match="must have rank"):
                session.run(check_op, {asked: 2})
        assert graph.version


def test_cross_entropies_take_labels_of_other_dtypes() -> None:
    with td.Graph().as_default():
        for v in (
            td.nn.softmax_cross_entropy_with_logits,
            td.nn.softmax_cross_entropy_with_logits_v2,
        ):
            loss = v(labels=td.constant([[1, 0]]), logits=td.constant([[1.0, 2.0]]))
            assert loss.dtype == td.float32
            np.testing.assert_allclose(value(loss), [1.3132616], rtol=1e-6)
            with pytest.raises(TypeError, match="int32"):
                v(labels=td.constant([[1, 0]]), logits=td.constant([[1, 2]]))
        with pytest.raises(ValueError, match="must have the same shape"):
            td.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 2.0], logits=[1.0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_cross_entropies_by_position_are_of_older_documents() -> None:
    logits, classes = td.constant([[1.0, 2.0]]), td.constant([0])
    labels = td.constant([[1.0, 0.0]])
    functions: list[tuple[Any, Any]] = [
        (td.nn.softmax_cross_entropy_with_logits, labels),
        (td.nn.sigmoid_cross_entropy_with_logits, labels),
        (td.nn.sparse_softmax_cross_entropy_with_logits, classes),
    ]
    for function, right in functions:
        named = value(function(labels=right, logits=logits)).tolist()
        assert value(function(logits, right)).tolist() == named
        assert value(function(logits, labels=right)).tolist() == named
    # Classes are no floats, so that either order is clear.
    both = td.nn.sparse_softmax_cross_entropy_with_logits(classes, logits)
    np.testing.assert_allclose(value(both), [1.3132616], rtol=1e-6)
    older: Any = td.nn.sigmoid_cross_entropy_with_logits
    assert value(older(logits, targets=labels)).shape == (1, 2)
    assert value(td.nn.softmax_cross_entropy_with_logits_v2(labels, logits)).shape == (1,)
