"""Constants, placeholders and identities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")
MATRIX = np.arange(6, dtype=np.float64).reshape(2, 3)
NAN = float("nan")


def const(value: Any, dtype: Any = None, **options: Any) -> Case:
    proto = td.make_tensor_proto(value, dtype)
    expected = (value, dtype) if dtype else value
    return Case("Const", [], {"value": proto, "dtype": proto.dtype}, expected, **options)


COPIES = [
    Case(op, [value], expected=value, id=id)
    for op in ("Identity", "Snapshot", "StopGradient", "PreventGradient")
    for id, value in [
        ("scalar", 3),
        ("matrix", MATRIX),
        ("empty", np.zeros((0, 2), np.int8)),
        ("text", ["a", "b"]),
        ("scalar-text", "a\0"),
        ("quantized", ([1, 2], "quint8")),
        ("nan", [NAN, 1.0]),
        ("bool", [[True]]),
        ("bfloat16", ([1.5], "bfloat16")),
        ("complex", [1j]),
    ]
]

CASES = [
    const([1, 2], id="vector"),
    const(1.5, id="scalar"),
    const(MATRIX, id="matrix"),
    const("text", id="scalar-text"),
    const([["a"], ["b"]], id="text"),
    const([1, -1], "qint8", id="quantized"),
    const(0.5, "half", id="half"),
    const(0.5, "bfloat16", id="bfloat16"),
    const(np.zeros((3, 0), bool), id="empty"),
    const([NAN, -0.0], id="special"),
    Case(
        "Const",
        [],
        {"value": td.make_tensor_proto(1), "dtype": "float32"},
        raises("value has dtype int32, where dtype is float32", at="run"),
        id="dtypes-differ",
    ),
    *COPIES,
    Case("PreventGradient", [1.0], {"message": "not here"}, 1.0, id="message"),
    Case("IdentityN", [[1, MATRIX, "a"]], expected=(1, MATRIX, "a")),
    Case("IdentityN", [[MATRIX]], expected=(MATRIX,), id="one"),
    Case("NoOp", [], expected=()),
    Case(
        "Placeholder",
        [],
        {"dtype": "float32", "shape": [2, None]},
        raises(r"You must feed a value for placeholder 'op': one of float32, \(2, \?\)", at="run"),
    ),
    Case("Placeholder", [], {"dtype": "int8"}, raises("int8, <unknown>", at="run"), id="unknown"),
    Case("PlaceholderV2", [], {"dtype": "int8", "shape": []}, raises(r"int8, \(\)", at="run")),
    Case("PlaceholderWithDefault", [MATRIX], {"shape": [2, 3]}, MATRIX, id="matrix"),
    Case("PlaceholderWithDefault", [MATRIX], {"shape": [None, 3]}, MATRIX, id="open", dynamic=True),
    Case("PlaceholderWithDefault", ["a"], {"shape": []}, "a", id="text"),
]

test_constants = check(CASES)


def test_shapes() -> None:
    for op in ("Identity", "Snapshot", "StopGradient", "PreventGradient"):
        infers(op, "[batch,?,3]", "[batch,?,3]")
        infers(op, "?", "?")
    infers("IdentityN", "[a]+?+[]", "[a];?;[]")
    infers("Placeholder", "", "[batch,?]", dtype="int32", shape=["batch", None])
    infers("Placeholder", "", "?", dtype="int32")
    infers("PlaceholderWithDefault", "[2,3]", "[?,3]", shape=[None, 3])
    infers("PlaceholderWithDefault", "?", "[2]", shape=[2])
    refuses("PlaceholderWithDefault", "[2,3]", r"input has shape \(2, 3\)", shape=[3, None])
    refuses("PlaceholderWithDefault", "[2,3]", "does not fit", shape=[2])


# The functions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"value": -1.0, "shape": [2, 3]}, np.full((2, 3), -1, np.float32)),
        ({"value": [1, 2, 3, 4, 5, 6], "shape": [2, 3]}, np.array([[1, 2, 3], [4, 5, 6]])),
        ({"value": [1, 2], "shape": [2, 2]}, np.array([[1, 2], [2, 2]])),
        ({"value": [[1, 2], [3, 4]], "shape": [4]}, np.array([1, 2, 3, 4])),
        ({"value": 7, "shape": []}, np.array(7)),
        ({"value": [], "shape": [0, 3]}, np.zeros((0, 3))),
        ({"value": "a", "shape": [2]}, np.array([b"a", b"a"], object)),
        ({"value": 3, "dtype": td.qint8, "shape": [2]}, np.array([3, 3], np.int8)),
        ({"value": np.arange(4), "shape": td.TensorShape([2, 2])}, np.array([[0, 1], [2, 3]])),
    ],
)
def test_a_constant_fills_its_shape(
    session: td.Session, arguments: dict[str, Any], expected: np.ndarray[Any, Any]
) -> None:
    tensor = td.constant(**arguments)
    result = np.asarray(session.run(tensor))
    assert tensor.shape.as_list() == list(expected.shape)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"value": [1, 2, 3], "shape": [2]}, ValueError, r"3 elements, shape \(2,\) has 2"),
        ({"value": [], "shape": [2]}, ValueError, "0 elements"),
        ({"value": 1, "shape": [None]}, ValueError, "at least 0"),
        ({"value": 1, "shape": [-2]}, ValueError, "-2"),
        ({"value": [1], "shape": [1, 1], "verify_shape": True}, TypeError, r"\(1,\).*\(1, 1\)"),
        ({"value": 1.5, "dtype": "int32"}, TypeError, r"1\.5"),
        ({"value": None}, ValueError, "None"),
        ({"value": 1, "dtype": "nosuch"}, TypeError, "nosuch"),
        ({"value": 1, "shape": [1 << 40]}, td.errors.ResourceExhaustedError, "max_tensor_bytes"),
        ({"value": 1, "shape": [1] * 65}, ValueError, "at most 64 dimensions"),
    ],
)
def test_a_constant_that_does_not_fit_is_refused(
    arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        td.constant(**arguments)
    assert td.get_default_graph().get_operations() == []


def test_a_constant_is_named_and_typed() -> None:
    assert td.constant(1, td.float64, name="one").name == "one:0"
    assert td.constant([1, 2], verify_shape=True, shape=[2]).dtype is td.int32


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (None, "<unknown>"),
        ([], "()"),
        (3, "(3,)"),
        ([None, "batch", 2], "(?, batch, 2)"),
        (td.TensorShape([4]), "(4,)"),
        (np.array([2, 3]), "(2, 3)"),
    ],
)
def test_a_placeholder_has_the_shape_it_is_given(shape: Any, text: str) -> None:
    x = td.placeholder(td.float32, shape, name="x")
    assert (str(x.shape), x.op.type, x.name) == (text, "Placeholder", "x:0")


@pytest.mark.parametrize(("dtype", "shape"), [("nosuch", None), (None, [2]), (td.int8, "batch")])
def test_a_placeholder_that_makes_no_sense_is_refused(dtype: Any, shape: Any) -> None:
    with pytest.raises(TypeError):
        td.placeholder(dtype, shape)


def test_a_default_may_be_fed_within_its_shape(session: td.Session) -> None:
    x = td.placeholder_with_default([1, 2], [None], name="x")
    doubled = td.identity(x)
    assert td.constant_value(doubled) is None  # another value may be fed
    for _ in range(5):
        assert session.run(doubled).tolist() == [1, 2]
        assert session.run(doubled, {x: [3]}).tolist() == [3]
    with pytest.raises(ValueError, match=r"shape \(\)"):
        session.run(doubled, {x: 3})


def test_identity_is_a_node_of_its_own() -> None:
    x = td.constant([1, 2], name="x")
    y = td.identity(x, name="y")
    assert (y.name, y.op.inputs) == ("y:0", (x,))
    assert td.identity(3.5).dtype is td.float32


@pytest.mark.parametrize("value", [0, [7], [1, 2]])
def test_any_value_will_do_for_no_elements(value: Any) -> None:
    assert td.constant(value, td.float32, shape=[2, 0, 4]).shape.as_list() == [2, 0, 4]
    with pytest.raises(ValueError, match="value has 3 elements"):
        td.constant([1, 2, 3], shape=[2])
