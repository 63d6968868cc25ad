"""Ops of ONNX whose sizes or inputs are not known before a run, and branches off the main path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import f32, info, model, node, run_op

import tensordraft as td
from tensordraft import onnx_backend

X = f32([[1, -2, 3], [4, 0, -6]])


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


CUBE = drawn(2, 3, 4)
PLANES = drawn(1, 4, 5, 6)
# Ops whose results must not depend on whether sizes and the values of other inputs are known.
UNKNOWN: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("AveragePool", [PLANES], {"kernel_shape": [2, 3], "pads": [1, 0, 1, 2], "dilations": [2, 1]}),
    ("AveragePool", [PLANES], {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}),
    ("AveragePool", [PLANES], {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER"}),
    ("AveragePool", [PLANES], {"kernel_shape": [3, 2], "auto_pad": "SAME_LOWER"}),
    ("CenterCropPad", [CUBE, np.array([3, 2, 7])], {}),
    ("CenterCropPad", [CUBE, np.array([6, 1])], {"axes": [1, -1]}),
    ("ConvTranspose", [PLANES, drawn(4, 2, 3, 2)], {"strides": [2, 1], "group": 2}),
    ("EyeLike", [CUBE[0]], {"k": -1}),
    ("Expand", [CUBE[:, :1], np.array([3, 1])], {}),
    ("Flatten", [CUBE], {"axis": 0}),
    ("Flatten", [CUBE], {"axis": 2}),
    ("Flatten", [CUBE], {"axis": -3}),
    ("Gather", [CUBE, np.array([[0, -1], [2, -3]])], {"axis": 1}),
    ("GatherElements", [CUBE, np.array([[[0, -1], [2, -3]]])], {"axis": 2}),
    ("GatherND", [CUBE, np.array([[0, -1], [-2, 2]])], {}),
    ("GatherND", [CUBE, np.array([[-1], [1]])], {"batch_dims": 1}),
    ("MaxPool", [PLANES], {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1], "dilations": [2, 2]}),
    ("MaxPool", [PLANES], {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ("OneHot", [np.array([0, -1, 5]), np.array(3), f32([0, 1])], {"axis": 0}),
    ("Pad", [CUBE, np.array([0, 2, 1, 0, 0, 3]), f32(7)], {}),
    ("Pad", [CUBE, np.array([1, 2, 2, 1]), None, np.array([-1, 1])], {"mode": "edge"}),
    ("Pad", [CUBE, np.array([0, 2, 1, 0, 0, 3])], {"mode": "wrap"}),
    ("ReduceLogSumExp", [CUBE, np.array([-1, 0])], {}),
    ("ReduceLogSumExp", [CUBE, np.array([1])], {"keepdims": 0}),
    ("ReduceSum", [CUBE, np.array([-1, 0])], {}),
    ("Reshape", [CUBE, np.array([0, 0, 2, -1])], {}),
    ("Reshape", [CUBE, np.array([0, -1])], {}),
    ("ScatterElements", [CUBE, np.array([[[0, -1]]]), drawn(1, 1, 2)], {"axis": 1}),
    ("ScatterND", [CUBE, np.array([[0, -1], [-2, 2]]), drawn(2, 4)], {"reduction": "mul"}),
    ("Shape", [CUBE], {"start": -5, "end": 2}),
    ("Slice", [CUBE, np.array([3]), np.array([-9]), np.array([-1]), np.array([-2])], {}),
    ("Slice", [CUBE, np.array([1, 0]), np.array([9, 2]), np.array([-1, 0])], {}),
    ("Softmax", [CUBE], {"axis": 1}),
    ("SpaceToDepth", [PLANES[..., :4, :]], {"blocksize": 2}),
    ("Squeeze", [CUBE[:1, :, :1], np.array([-1, 0])], {}),
    ("Trilu", [CUBE, np.array(1)], {"upper": 0}),
    ("Unsqueeze", [CUBE, np.array([-1, 0])], {}),
]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attrs"), UNKNOWN, ids=[f"{x[0]}-{i}" for i, x in enumerate(UNKNOWN)]
)
def test_sizes_and_values_that_are_not_known(op_type: str, inputs: Any, attrs: Any) -> None:
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    arrays = {name: np.asarray(x) for name, x in zip(names, inputs, strict=True) if name}
    first = info("x0", arrays["x0"].dtype, arrays["x0"].shape)
    others = {name: array for name, array in arrays.items() if name != "x0"}
    known = model([node(op_type, names, **attrs)], [first], constants=others)
    [wanted] = onnx_backend.run_model(known, [arrays["x0"]])
    found = run_op(op_type, *inputs, sizes=False, **attrs)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_parts_of_a_size_that_is_not_known() -> None:
    parts = run_op("Split", np.arange(7), outputs=3, sizes=False, num_outputs=3)
    assert [part.tolist() for part in parts] == [[0, 1, 2], [3, 4, 5], [6]]
    parts = run_op("Split", np.arange(6), outputs=3, sizes=False, num_outputs=3)
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3], [4, 5]]


def test_sums_of_exponentials_that_lie_far_apart() -> None:
    x = f32([[0, 1], [1000, 1001], [-np.inf, -np.inf]])
    wanted = f32([np.log1p(np.e), 1000 + np.log1p(np.e), -np.inf])
    found = run_op("ReduceLogSumExp", x, np.array([1]), keepdims=0)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    found = run_op("ReduceLogSumExp", x, axes=[1], opset=13)
    np.testing.assert_allclose(found, wanted[:, None], rtol=1e-6)


def test_cubic_samples_at_the_border() -> None:
    image = f32([[[[0, 1, 4, 9]]]])
    grid = f32([[[[-1.2, 0], [-0.85, 0], [0.85, 0], [3, 0]]]])
    found = run_op("GridSample", image, grid, mode="cubic", padding_mode="border")
    np.testing.assert_allclose(found, [[[[0, -0.096, 9.48, 9]]]], rtol=1e-5, atol=1e-6)


def test_numbers_of_activations_are_for_those_that_take_them() -> None:
    x, weights, none = f32([[[-1]]]), f32([[[1]], [[1]]]), np.zeros((2, 1, 1), np.float32)
    settings: dict[str, Any] = {
        "direction": "bidirectional",
        "hidden_size": 1,
        "activation_alpha": [0.5],
    }
    found = run_op("RNN", x, weights, none, activations=["Tanh", "LeakyRelu"], **settings)
    np.testing.assert_allclose(found.reshape(-1), [np.tanh(-1), -0.5], rtol=1e-6)
    settings |= {"activation_alpha": [0.5, 2.0], "activation_beta": [3.0]}
    found = run_op("RNN", x, weights, none, activations=["Elu", "Affine"], **settings)
    np.testing.assert_allclose(found.reshape(-1), [0.5 * np.expm1(-1), 1], rtol=1e-6)


@pytest.mark.parametrize(
    ("place", "inserted", "erased"),
    [
        (0, [9, 1, 2, 3], [2, 3]),
        (2, [1, 2, 9, 3], [1, 2]),
        (-1, [1, 2, 9, 3], [1, 2]),
        (-3, [9, 1, 2, 3], [2, 3]),
    ],
)
def test_places_in_sequences(place: int, inserted: list[int], erased: list[int]) -> None:
    nodes = [
        node("SequenceConstruct", ["a", "b", "c"], ["s"]),
        node("Optional", ["s"], ["o"]),
        node("SequenceInsert", ["o", "d", "place"], ["more"]),
        node("SequenceErase", ["s", "place"], ["fewer"]),
        node("ConcatFromSequence", ["more"], ["inserted"], axis=-1),
        node("ConcatFromSequence", ["fewer"], ["erased"], axis=-1, new_axis=1),
    ]
    infos = [*(info(name, "float32", [1]) for name in "abcd"), info("place", "int64", [])]
    message = model(nodes, infos, ["inserted", "erased"])
    values = [*(f32([x]) for x in (1, 2, 3, 9)), np.array(place)]
    found = onnx_backend.run_model(message, values)
    assert [x.tolist() for x in found] == [inserted, [erased]]


def test_a_place_beyond_a_sequence_is_an_error() -> None:
    nodes = [
        node("SequenceConstruct", ["a"], ["s"]),
        node("SequenceErase", ["s", "place"], ["t"]),
        node("SequenceLength", ["t"]),
    ]
    message = model(nodes, [info("a", "float32", [1]), info("place", "int64", [])])
    with pytest.raises(td.errors.InvalidArgumentError, match=r"indices = 1 is not in \[0, 1\)"):
        onnx_backend.run_model(message, [f32([1]), np.array(1)])


def test_lone_parts_without_their_axis() -> None:
    nodes = [
        node("SplitToSequence", ["x"], ["s"], axis=1, keepdims=0),
        node("SequenceAt", ["s", "place"]),
    ]
    message = model(nodes, [info("x", "float32", [2, 3]), info("place", "int64", [])])
    [y] = onnx_backend.run_model(message, [X, np.array(-1)])
    assert y.tolist() == [3, -6]


def test_indices_of_greatest_elements() -> None:
    image = f32([[[[5, 1, 2], [3, 4, 9]]]])
    settings: dict[str, Any] = {"kernel_shape": [2, 2], "pads": [0, 1, 0, 0]}
    y, places = run_op("MaxPool", image, outputs=2, **settings)
    assert (y.tolist(), places.tolist()) == ([[[[5, 5, 9]]]], [[[[0, 0, 5]]]])
    y, places = run_op("MaxPool", image, outputs=2, storage_order=1, **settings)
    assert places.tolist() == [[[[0, 0, 5]]]]
    lowest = np.full((1, 1, 1, 2), -np.inf, np.float32)
    _, places = run_op("MaxPool", lowest, outputs=2, kernel_shape=[1, 2], pads=[0, 1, 0, 0])
    assert places.tolist() == [[[[0, 0]]]]


def test_attention_with_a_past() -> None:
    query, key, value = (drawn(1, heads, 2, 2) for heads in (2, 1, 1))
    past_key, past_value = drawn(1, 1, 3, 2), drawn(1, 1, 3, 2) + 1
    y, keys, values, weights = run_op(
        *("Attention", query, key, value, None, past_key, past_value),
        opset=24,
        outputs=4,
        is_causal=1,
        softcap=3.0,
        scale=0.5,
        qk_matmul_output_mode=3,
    )
    np.testing.assert_array_equal(keys, np.concatenate([past_key, key], 2))
    np.testing.assert_array_equal(values, np.concatenate([past_value, value], 2))
    scores = 3 * np.tanh(0.5 * query @ keys.transpose(0, 1, 3, 2) / 3)
    scores[:, :, 0, 4] = -np.inf
    wanted = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(weights, wanted, rtol=1e-5)
    np.testing.assert_allclose(y, wanted @ values, rtol=1e-5)
