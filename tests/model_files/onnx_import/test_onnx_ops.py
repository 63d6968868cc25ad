"""Ops of ONNX that its backend tests do not cover, or not in all their forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import f32, graph, info, model, node, run_op, tensor

import tensordraft as td
from tensordraft import onnx_backend

X = f32([[1, -2, 3], [4, 0, -6]])
SPLIT: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_values": [2.0, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LT", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
}
VOTES: dict[str, Any] = {
    f"class_{name}": values
    for name, values in {
        "treeids": [0, 0],
        "nodeids": [1, 2],
        "ids": [0, 1],
        "weights": [1.0, 1.0],
    }.items()
}
TARGETS: dict[str, Any] = {
    "target_treeids": [0, 0],
    "target_nodeids": [1, 2],
    "target_ids": [0, 0],
    "target_weights": [10.0, 20.0],
}

LEARNED: list[tuple[str, list[Any], dict[str, Any], Any]] = [
    ("Scaler", [X], {"offset": [1.0, 0.0, 0.0], "scale": [2.0]}, [[0, -4, 6], [6, 0, -12]]),
    ("Normalizer", [X], {"norm": "L1"}, [[1 / 6, -2 / 6, 3 / 6], [0.4, 0, -0.6]]),
    ("Normalizer", [X[:, :2]], {"norm": "L2"}, [[1 / 5**0.5, -2 / 5**0.5], [1, 0]]),
    ("Normalizer", [np.zeros((1, 2), np.float32)], {"norm": "MAX"}, [[0, 0]]),
    (
        "Imputer",
        [f32([[1, np.nan]])],
        {"imputed_value_floats": [5.0], "replaced_value_float": float("nan")},
        [[1, 5]],
    ),
    (
        "Imputer",
        [np.array([[1, 7]])],
        {"imputed_value_int64s": [3, 4], "replaced_value_int64": 7},
        [[1, 4]],
    ),
    ("OneHotEncoder", [np.array([2, 9])], {"cats_int64s": [1, 2]}, [[0, 1], [0, 0]]),
    ("OneHotEncoder", [np.array(["b"])], {"cats_strings": ["a", "b"]}, [[0, 1]]),
    (
        "CategoryMapper",
        [np.array(["b", "z"])],
        {"cats_strings": ["a", "b"], "cats_int64s": [10, 20]},
        [20, -1],
    ),
    (
        "CategoryMapper",
        [np.array([20, 5])],
        {"cats_strings": ["a", "b"], "cats_int64s": [10, 20], "default_string": "?"},
        ["b", "?"],
    ),
    (
        "FeatureVectorizer",
        [np.array([[1], [2]]), np.array([[3], [4]])],
        {"inputdimensions": [1, 1]},
        [[1, 3], [2, 4]],
    ),
    (
        "LinearRegressor",
        [X],
        {"coefficients": [1.0, 0.0, 1.0], "intercepts": [0.5]},
        [[4.5], [-1.5]],
    ),
    (
        "LinearRegressor",
        [X],
        {"coefficients": [0.0, 0.0, 0.0], "post_transform": "LOGISTIC"},
        [[0.5], [0.5]],
    ),
    (
        "LinearRegressor",
        [X[:1]],
        {"coefficients": [0.0] * 6, "targets": 2, "post_transform": "SOFTMAX"},
        [[0.5, 0.5]],
    ),
    (
        "LinearRegressor",
        [X[:1]],
        {
            "coefficients": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            "targets": 2,
            "post_transform": "SOFTMAX_ZERO",
        },
        [[1, 0]],
    ),
    (
        "LabelEncoder",
        [f32([1, 9])],
        {"keys_floats": [1.0, 1.0], "values_floats": [2.0, 3.0], "default_float": 7.0},
        [3, 7],
    ),
    (
        "TreeEnsembleRegressor",
        [X],
        {
            **SPLIT,
            **TARGETS,
            "base_values": [1.0],
        },
        [[11], [21]],
    ),
    (
        "TreeEnsembleRegressor",
        [X],
        {
            **SPLIT,
            **TARGETS,
            "aggregate_function": "MAX",
        },
        [[10], [20]],
    ),
]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attrs", "wanted"),
    LEARNED,
    ids=[f"{case[0]}-{i}" for i, case in enumerate(LEARNED)],
)
def test_ops_for_machine_learning(op_type: str, inputs: Any, attrs: Any, wanted: Any) -> None:
    result = run_op(op_type, *inputs, ml=3, **attrs)
    if isinstance(wanted[0], str):
        assert result.tolist() == wanted
    else:
        np.testing.assert_allclose(result, wanted, rtol=1e-6)


def test_classifiers_give_labels_and_scores() -> None:
    labels, scores = run_op(
        "TreeEnsembleClassifier",
        X,
        ml=3,
        outputs=2,
        **SPLIT,
        **VOTES,
        classlabels_strings=["low", "high"],
    )
    assert labels.tolist() == ["low", "high"]
    np.testing.assert_array_equal(scores, [[1, 0], [0, 1]])
    votes = {**VOTES, "class_ids": [0, 0], "class_weights": [0.2, 0.9]}
    labels, scores = run_op(
        "TreeEnsembleClassifier", X, ml=3, outputs=2, **SPLIT, **votes, classlabels_int64s=[5, 6]
    )
    assert labels.tolist() == [5, 6]
    np.testing.assert_allclose(scores, [[0.8, 0.2], [0.1, 0.9]], rtol=1e-6)
    labels, scores = run_op(
        "LinearClassifier",
        X,
        ml=1,
        outputs=2,
        coefficients=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        intercepts=[0.0, 0.0],
        classlabels_ints=[7, 8],
        multi_class=1,
    )
    assert labels.tolist() == [7, 7]
    labels, scores = run_op(
        "LinearClassifier",
        X,
        ml=1,
        outputs=2,
        coefficients=[0.0, 1.0, 0.0],
        intercepts=[0.0],
        classlabels_ints=[1],
        post_transform="LOGISTIC",
    )
    assert labels.tolist() == [0, 0]
    np.testing.assert_allclose(scores.sum(1), 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("attr", "value", "match"),
    [
        ("nodes_truenodeids", [7, 0, 0], "node that does not exist"),
        ("nodes_modes", ["BRANCH_IN", "LEAF", "LEAF"], "nodes_modes must be of"),
        ("nodes_featureids", [9, 0, 0], "features that an input"),
        ("nodes_values", [1.0], "has 1 elements, where 3 are due"),
        ("class_ids", [0, 5], "class_ids has 5"),
    ],
)
def test_damaged_trees_are_refused(attr: str, value: Any, match: str) -> None:
    attrs = {**SPLIT, **VOTES, "classlabels_int64s": [1, 2], attr: value}
    with pytest.raises(td.errors.DataLossError, match=match):
        run_op("TreeEnsembleClassifier", X, ml=3, outputs=2, **attrs)


def test_a_tree_in_a_circle_is_refused() -> None:
    modes = {"nodes_modes": ["BRANCH_LT", "BRANCH_LT", "LEAF"], "nodes_truenodeids": [1, 0, 0]}
    attrs = {**SPLIT, **VOTES, **modes, "nodes_falsenodeids": [2, 2, 0]}
    with pytest.raises(td.errors.DataLossError, match="a tree has a cycle"):
        run_op("TreeEnsembleClassifier", X, ml=3, outputs=2, **attrs, classlabels_int64s=[1, 2])


def test_random_ops_have_their_shape_and_range() -> None:
    drawn = [
        (run_op("RandomUniform", shape=[1000], low=2.0, high=3.0, seed=1.0), 2.5),
        (run_op("RandomNormal", shape=[1000], mean=5.0, scale=0.1), 5.0),
        (run_op("RandomNormalLike", np.zeros(1000, np.float32)), 0.0),
        (run_op("RandomUniformLike", np.zeros(1000), seed=2.0), 0.5),
        (run_op("Bernoulli", np.full(1000, 0.5)), 0.5),
    ]
    for values, mean in drawn:
        assert values.shape == (1000,)
        assert abs(values.mean() - mean) < 0.15
    classes = run_op(
        "Multinomial", np.log([[0.5, 0.5]]).astype(np.float32), sample_size=50, dtype=7
    )
    assert classes.shape == (1, 50)
    assert set(classes.reshape(-1).tolist()) == {0, 1}
    with pytest.raises(td.errors.DataLossError, match="it makes floats, got int64"):
        run_op("RandomUniform", shape=[2], dtype=7)


def test_dropout_that_trains_keeps_what_its_ratio_leaves() -> None:
    y, mask = run_op(
        "Dropout", np.ones(1000, np.float32), np.float32(0.25), np.bool_(True), outputs=2
    )
    assert abs(mask.mean() - 0.75) < 0.1
    np.testing.assert_allclose(y[mask], 1 / 0.75, rtol=1e-6)
    assert not y[~mask].any()
    y, mask = run_op("Dropout", X, outputs=2)
    np.testing.assert_array_equal(y, X)
    assert mask.all()


IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
VOLUME = np.arange(27, dtype=np.float32).reshape(1, 1, 3, 3, 3)
WINDOWS: list[tuple[str, list[Any], dict[str, Any], Any]] = [
    (
        "Conv",
        [IMAGE, np.ones((1, 1, 3, 3), np.float32)],
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        [[[[45, 39], [66, 50]]]],
    ),
    (
        "Conv",
        [np.ones((1, 2, 5), np.float32), np.ones((2, 1, 3), np.float32), f32([0, 1])],
        {"group": 2},
        [[[3] * 3, [4] * 3]],
    ),
    (
        "Conv",
        [np.ones((1, 4, 5), np.float32), np.ones((2, 2, 3), np.float32)],
        {"group": 2, "auto_pad": "VALID"},
        [[[6] * 3] * 2],
    ),
    (
        "Conv",
        [VOLUME, np.ones((1, 1, 2, 2, 2), np.float32)],
        {"pads": [0, 0, 0, 0, 0, 0], "strides": [2, 2, 2]},
        [[[[[52]]]]],
    ),
    (
        "ConvTranspose",
        [VOLUME[:, :, :1, :1, :2], np.ones((1, 1, 1, 1, 2), np.float32)],
        {"pads": [0, 0, 1, 0, 0, 0]},
        [[[[[1, 1]]]]],
    ),
    (
        "ConvTranspose",
        [IMAGE[:, :, 0, :2], np.ones((1, 1, 2), np.float32)],
        {"output_padding": [1], "strides": [2]},
        [[[0, 0, 1, 1, 0]]],
    ),
    (
        "ConvTranspose",
        [IMAGE[:, :, :1, :2], np.ones((1, 1, 1, 2), np.float32)],
        {"auto_pad": "SAME_UPPER", "strides": [1, 1]},
        [[[[0, 1]]]],
    ),
    (
        "MaxPool",
        [IMAGE],
        {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"},
        [[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]]],
    ),
    (
        "MaxPool",
        [IMAGE[:, :, 0]],
        {"kernel_shape": [2], "strides": [3], "ceil_mode": 1},
        [[[1, 3]]],
    ),
    (
        "MaxPool",
        [VOLUME],
        {"kernel_shape": [2, 2, 2], "pads": [1, 1, 1, 0, 0, 0], "strides": [2, 2, 2]},
        [[[[[0, 2], [6, 8]], [[18, 20], [24, 26]]]]],
    ),
    ("AveragePool", [VOLUME], {"kernel_shape": [3, 3, 3]}, [[[[[13]]]]]),
    (
        "AveragePool",
        [IMAGE[:, :, 0]],
        {"kernel_shape": [2], "pads": [1, 1], "dilations": [2]},
        [[[1, 1, 2, 2]]],
    ),
    (
        "LpPool",
        [IMAGE[:, :, 0]],
        {"kernel_shape": [2], "p": 3},
        [[[1, 9 ** (1 / 3), 35 ** (1 / 3)]]],
    ),
    ("GlobalLpPool", [IMAGE[:, :, :1, :3]], {"p": 1}, [[[[3]]]]),
    (
        "LRN",
        [np.ones((1, 3, 1), np.float32)],
        {"size": 2, "alpha": 2.0, "beta": 1.0},
        [[[1 / 3], [1 / 3], [1 / 2]]],
    ),
    (
        "Resize",
        [IMAGE[0, 0, 0], None, f32([2])],
        {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
        },
        [0, 0, 1, 1, 2, 2, 3, 3],
    ),
    (
        "Resize",
        [IMAGE[0, 0, 0], None, f32([0.5])],
        {"mode": "linear", "antialias": 1, "exclude_outside": 1},
        [0.71428573, 2.2857144],
    ),
]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attrs", "wanted"),
    WINDOWS,
    ids=[f"{case[0]}-{i}" for i, case in enumerate(WINDOWS)],
)
def test_windows_and_resizing(op_type: str, inputs: Any, attrs: Any, wanted: Any) -> None:
    np.testing.assert_allclose(run_op(op_type, *inputs, **attrs), wanted, rtol=1e-5)


OLDER: list[tuple[str, int, list[Any], dict[str, Any], Any]] = [
    ("Clip", 6, [X], {"min": 0.0, "max": 3.0}, [[1, 0, 3], [3, 0, 0]]),
    ("Unsqueeze", 11, [f32([1])], {"axes": [0, 2]}, [[[1]]]),
    ("Slice", 9, [X], {"starts": [1], "ends": [9], "axes": [1]}, [[-2, 3], [0, -6]]),
    ("TopK", 9, [X], {"k": 1}, [[3], [4]]),
    ("Softmax", 11, [np.zeros((1, 2, 2), np.float32)], {"axis": 1}, [[[0.25, 0.25]] * 2]),
    ("Pad", 2, [f32([1])], {"pads": [1, 0], "value": 7.0}, [7, 1]),
    ("Upsample", 7, [IMAGE[:, :, :1, :2]], {"scales": [1.0, 1.0, 1.0, 2.0]}, [[[[0, 0, 1, 1]]]]),
    (
        "Upsample",
        9,
        [IMAGE[:, :, :1, :2], f32([1, 1, 1, 2])],
        {"mode": "linear"},
        [[[[0, 0.5, 1, 1]]]],
    ),
    ("Split", 11, [f32([1, 2])], {"split": [2]}, [1, 2]),
    ("ReduceSum", 11, [X], {"axes": [1], "keepdims": 0}, [2, -2]),
    (
        "GroupNormalization",
        18,
        [f32([[[1, 3]]]), f32([1]), f32([2])],
        {"num_groups": 1},
        [[[1, 3]]],
    ),
    ("Cast", 5, [f32([1.5])], {"to": "INT32"}, [1]),
    ("Scatter", 9, [np.zeros(3, np.float32), np.array([1]), f32([5])], {}, [0, 5, 0]),
]


@pytest.mark.parametrize(
    ("op_type", "opset", "inputs", "attrs", "wanted"),
    OLDER,
    ids=[f"{case[0]}-{case[1]}" for case in OLDER],
)
def test_older_opsets(op_type: str, opset: int, inputs: Any, attrs: Any, wanted: Any) -> None:
    outputs = 2 if op_type == "TopK" else 1
    result = run_op(op_type, *inputs, opset=opset, outputs=outputs, **attrs)
    np.testing.assert_allclose(result[0] if outputs == 2 else result, wanted, rtol=1e-4)


def test_sizes_that_are_not_known_stay_expressions() -> None:
    nodes = [
        node("Conv", ["i", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Flatten", ["c"], ["f"]),
        node("Shape", ["i"], ["s"]),
        node("Gather", ["s", "zero"], ["b"]),
        node("Concat", ["b", "rest"], ["shape"], axis=0),
        node("Reshape", ["c", "shape"], ["r"]),
        node("Resize", ["c", "", "scales"], ["z"], mode="nearest"),
        node("DepthToSpace", ["c"], ["d"], blocksize=2),
        node("Expand", ["one", "s"], ["e"]),
    ]
    constants = {
        "w": np.ones((4, 3, 3, 3), np.float32),
        "zero": np.array([0]),
        "rest": np.array([4, -1]),
        "scales": f32([1, 1, 2, 2]),
        "one": f32([1]),
    }
    message = model(
        nodes,
        [info("i", "float32", ["batch", 3, "height", 8])],
        ["f", "r", "z", "d", "e"],
        constants,
    )
    prepared = onnx_backend.prepare(message)
    shapes = {name: str(tensor_.shape) for name, tensor_ in prepared.outputs.items()}
    assert shapes["r"] == "(batch, 4, ?)"  # where the batch is empty, -1 is ambiguous
    assert shapes["z"] == "(batch, 4, 2*((height + 1)//2), 8)"
    assert shapes["d"] == "(batch, 1, 2*((height + 1)//2), 8)"
    assert shapes["e"] == "(batch, 3, height, 8)"
    results = prepared.run([np.ones((2, 3, 6, 8), np.float32)])
    assert [x.shape for x in results] == [
        (2, 48),
        (2, 4, 12),
        (2, 4, 6, 8),
        (2, 1, 6, 8),
        (2, 3, 6, 8),
    ]


def test_einsum_and_dynamic_reductions() -> None:
    a, b, c = np.random.default_rng(1).random((3, 2, 2), np.float32)
    np.testing.assert_allclose(
        run_op("Einsum", a, b, c, equation="ij,jk,kl->il"), a @ b @ c, rtol=1e-5
    )
    np.testing.assert_allclose(run_op("Einsum", a, b, equation="ij, jk"), a @ b, rtol=1e-5)
    message = model(
        [node("ReduceSum", ["x", "axes"], keepdims=0)],
        [info("x", "float32", [2, 3]), info("axes", "int64", ["n"])],
    )
    prepared = onnx_backend.prepare(message)
    assert prepared.run([X, np.array([], np.int64)])[0] == X.sum()
    np.testing.assert_allclose(prepared.run([X, np.array([-1])])[0], X.sum(-1))


def test_a_choice_of_sequences_and_optional_values() -> None:
    made = graph([node("SequenceConstruct", ["x"], ["s"])], outputs=["s"])
    empty = graph([node("SequenceEmpty", [], ["s"])], outputs=["s"])
    nodes = [
        node("If", ["c"], ["s"], then_branch=made, else_branch=empty),
        node("SequenceLength", ["s"]),
        node("OptionalHasElement", [""], ["none"]),
        node("OptionalHasElement", ["x"], ["some"]),
    ]
    prepared = onnx_backend.prepare(
        model(nodes, [info("c", "bool", []), info("x", "float32", [2])], ["y", "none", "some"])
    )
    assert [prepared.run([flag, f32([1, 2])])[0] for flag in (True, False)] == [1, 0]
    assert [bool(x) for x in prepared.run([True, f32([1, 2])])[1:]] == [False, True]


def test_constants_of_all_kinds() -> None:
    values: list[tuple[str, Any, Any]] = [
        *(("value_int", 3, 3), ("value_ints", [1, 2], [1, 2]), ("value_float", 1.5, 1.5)),
        *(
            ("value_floats", [0.5], [0.5]),
            ("value_string", "a", "a"),
            ("value_strings", ["a", "b"], ["a", "b"]),
        ),
        ("value", tensor(np.array([4], np.int8)), [4]),
    ]
    for name, value, wanted in values:
        assert run_op("Constant", **{name: value}).tolist() == wanted
    with pytest.raises(td.errors.DataLossError, match="it states no value"):
        run_op("Constant")
