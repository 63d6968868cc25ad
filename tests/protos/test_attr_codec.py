"""Attrs of every kind survive the wire, and malformed ones are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordraft.protos import dtypes
from tensordraft.protos.attr_codec import decode_attr, encode_attr, kind_of
from tensordraft.protos.messages import (
    AttrValue,
    NameAttrList,
    NodeDef,
    TensorProto,
    TensorShapeProto,
)
from tensordraft.protos.tensor_codec import TensorValue

ONE = TensorValue(np.array(1, np.int32), dtypes.int32)
FUNC = NameAttrList(name="f", attr={"T": AttrValue(type=1)})


def dims(shape: Any) -> Any:
    """Stands in for the shape class of a later layer."""
    return shape


SAMPLES: dict[str, list[Any]] = {
    "string": [b"", b"ab\xff"],
    "int": [0, -(2**63), 2**63 - 1],
    "float": [0.0, -1.5, float("inf")],
    "bool": [False, True],
    "type": [dtypes.float32, dtypes.string, dtypes.int32.ref],
    "shape": [None, (), (2, None, "n")],
    "tensor": [ONE],
    "func": [FUNC],
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_survives_the_wire(kind: str) -> None:
    for value in SAMPLES[kind]:
        attr = AttrValue.FromString(encode_attr(value, kind).SerializeToString())
        assert kind_of(attr) == kind
        assert decode_attr(attr, dims) == value
    attr = AttrValue.FromString(encode_attr(SAMPLES[kind], f"list({kind})").SerializeToString())
    assert kind_of(attr) == f"list({kind})"
    assert decode_attr(attr, dims) == SAMPLES[kind]


@pytest.mark.parametrize("kind", SAMPLES)
def test_empty_list(kind: str) -> None:
    attr = AttrValue.FromString(encode_attr([], f"list({kind})").SerializeToString())
    assert kind_of(attr) == "list"
    assert decode_attr(attr, dims) == []


def test_bytes_are_those_of_tensorflow() -> None:
    """The node that TensorFlow 2.21 writes for `placeholder(float32, [None, 2], name="x")`."""
    written = bytes.fromhex(
        "0a0178120b506c616365686f6c6465722a270a0e5f6f75747075745f73686170657312150a133a11120b08"
        "ffffffffffffffffff01120208022a0b0a056474797065120230012a1c0a05736861706512133a11120b08"
        "ffffffffffffffffff0112020802"
    )
    node = NodeDef.FromString(written)
    assert (node.name, node.op) == ("x", "Placeholder")
    kinds = {"_output_shapes": "list(shape)", "dtype": "type", "shape": "shape"}
    values = {name: decode_attr(attr, dims) for name, attr in node.attr.items()}
    assert values == {
        "_output_shapes": [(None, 2)],
        "dtype": dtypes.float32,
        "shape": (None, 2),
    }
    for name, value in values.items():
        assert encode_attr(value, kinds[name]) == node.attr[name]
    assert node.SerializeToString(deterministic=True) == written


def test_other_forms_of_values() -> None:
    class Shape:
        def as_proto(self) -> TensorShapeProto:
            return TensorShapeProto(unknown_rank=True)

    assert encode_attr("é", "string").s == "é".encode()
    assert encode_attr(np.int64(3), "int").i == 3
    assert encode_attr(np.float32(0.5), "float").f == 0.5
    assert encode_attr(np.True_, "bool").b is True
    assert encode_attr("double", "type").type == 2
    assert encode_attr(Shape(), "shape").shape.unknown_rank
    assert encode_attr(ONE.to_proto(), "tensor").tensor == ONE.to_proto()
    assert encode_attr((1, 2), "list(int)").list.i == [1, 2]


def test_floats_have_the_precision_of_the_wire() -> None:
    assert decode_attr(encode_attr(0.1, "float"), dims) == float(np.float32(0.1))


def test_decoded_functions_are_copies() -> None:
    attr = encode_attr(FUNC, "func")
    decoded = decode_attr(attr, dims)
    attr.func.name = "g"
    assert decoded.name == "f"


MALFORMED = [
    (AttrValue(), "the attr has no value"),
    (AttrValue(placeholder="T"), "is a placeholder for 'T' of a function call"),
    (AttrValue(type=0), "type = 0 is not a known data type"),
    (AttrValue(type=77), "type = 77 is not a known data type"),
    (AttrValue(list={"type": [1, 99]}), "type = 99 is not a known data type"),
    (AttrValue(list={"i": [1], "f": [1]}), "items of several kinds: int, float"),
    (AttrValue(shape={"dim": [{"size": -2}]}), r"dim\[0\].size = -2 is below -1"),
    (AttrValue(list={"shape": [{"dim": [{"size": -2}]}]}), "below -1"),
    (AttrValue(tensor=TensorProto(dtype=99)), "dtype = 99 is not a known data type"),
]


@pytest.mark.parametrize(("attr", "clause"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed(attr: AttrValue, clause: str) -> None:
    with pytest.raises(ValueError, match=clause):
        decode_attr(attr, dims)


@pytest.mark.parametrize("attr", [AttrValue(), AttrValue(placeholder="T")])
def test_kind_of_no_value(attr: AttrValue) -> None:
    with pytest.raises(ValueError, match="the attr "):
        kind_of(attr)


@pytest.mark.parametrize(
    ("value", "kind", "error", "clause"),
    [
        (1, "number", ValueError, "'number' is not a kind of attr"),
        ([], "list(number)", ValueError, r"'list\(number\)' is not a kind"),
        ([], "list(int", ValueError, r"'list\(int' is not a kind"),
        (3, "list(int)", TypeError, "expected a list, got 3"),
        ("abc", "list(string)", TypeError, "expected a list, got 'abc'"),
        (1, "string", TypeError, "expected a string, got 1"),
        ("\ud800", "string", ValueError, "is not valid text"),
        (1.0, "int", TypeError, "expected an int, got 1.0"),
        (2**63, "int", ValueError, "9223372036854775808 is not in"),
        ("1", "float", TypeError, "expected a float, got '1'"),
        (None, "float", TypeError, "expected a float, got None"),
        (1e39, "float", ValueError, "1e[+]39 does not fit in a float32"),
        (10**400, "float", ValueError, "does not fit in a float32"),
        (1, "bool", TypeError, "expected a bool, got 1"),
        ("floaty", "type", TypeError, "'floaty' is not a dtype"),
        ([1.5], "shape", TypeError, r"dims\[0\] = 1.5 is not an int"),
        (1, "tensor", TypeError, "expected a tensor value, got 1"),
        ("f", "func", TypeError, "expected a NameAttrList, got 'f'"),
        ([1, "a"], "list(int)", TypeError, "expected an int, got 'a'"),
    ],
)
def test_values_that_are_not_of_the_kind(
    value: Any, kind: str, error: type[Exception], clause: str
) -> None:
    with pytest.raises(error, match=clause):
        encode_attr(value, kind)
